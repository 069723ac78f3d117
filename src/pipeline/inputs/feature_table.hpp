#pragma once
/// @file
/// A table of stored features whose values are read by columns.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "io/netcdf/assembly_file.hpp"

namespace ventral::pipeline {

/// A data variable of a netCDF file, or the layers of a file of activations side by side. Used by
/// one thread at a time.
class FeatureTable {
public:
    /// `variable` may be empty: the only one; `layers` are the groups of a file of activations, or
    /// none. Nothing if the only table, or the first layer, has to be read as a whole: it changes
    /// in time, is not of float32 or float64, or is damaged, which reading it will tell. Throws
    /// `core::InputError` if another layer cannot be read by columns or does not go with the first.
    static std::optional<FeatureTable> open(const std::string& path, const std::string& variable,
                                            const std::vector<std::string>& layers);

    /// Whether it is several layers, each with chunks of its own.
    bool is_joined() const { return parts_.size() > 1; }

    /// As `io::AssemblyFile::take_labels`, of neuroids the labels `layer` and `neuroid_id` if there
    /// are any; those of a file of activations are `joined_layers.hpp`'s.
    core::Assembly take_labels();

    /// Columns [first, first + count), as `io::AssemblyFile::read_columns`; of a file of
    /// activations within a layer.
    void read_columns(std::size_t first, std::size_t count, std::span<float> out) const;
    void read_columns(std::size_t first, std::size_t count, std::span<double> out) const;

    /// Has so many threads inflate compressed chunks.
    void use_threads(std::size_t threads);

    /// Memory that reading up to `count` columns takes beside `out`.
    std::size_t reading_bytes(std::size_t count) const;

    /// Keeps chunks that are read so that none is read twice, if columns are read `count` at a
    /// time. Returns the memory that this takes.
    std::size_t use_cache(std::size_t count);

private:
    struct Part {
        io::AssemblyFile file;
        std::size_t first;  ///< of its columns
        std::size_t count;
    };

    FeatureTable() = default;
    void add(io::AssemblyFile file);
    template <typename T>
    void read(std::size_t first, std::size_t count, std::span<T> out) const;

    std::vector<Part> parts_;
    core::Assembly labels_;
};

}  // namespace ventral::pipeline

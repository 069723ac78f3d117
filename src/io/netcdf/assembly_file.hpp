#pragma once
/// @file
/// A table of presentations × neuroids in a netCDF file, opened without reading its values, for
/// features that are wider than memory.

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/assembly.hpp"
#include "core/workers.hpp"
#include "io/netcdf/netcdf_assembly.hpp"

namespace ventral::io {

/// Reads what `read_assembly` reads: the dims in any order, a time bin of size 1 beside them,
/// values contiguous or in chunks, compressed or packed, classic or netCDF-4, a layer of a file of
/// activations. It may be used by one thread after the other, never by two at once, nor beside any
/// other use of `io`.
class AssemblyFile {
public:
    /// Throws `InputError` where `read_assembly` does, and if there are other dims or several time
    /// bins.
    explicit AssemblyFile(const std::string& path, const AssemblyRequest& request = {});
    ~AssemblyFile();
    AssemblyFile(AssemblyFile&&) noexcept;
    AssemblyFile& operator=(AssemblyFile&&) = delete;

    /// Dims presentation, neuroid, the attributes and the coordinates along the presentations; no
    /// labels of neuroids, which may be as many as there are bytes in memory, but those that the
    /// request names. `values` is empty, of the type that the values have.
    const core::Assembly& labels() const;
    /// The same for the caller alone; this is without coordinates then.
    core::Assembly take_labels();

    /// Columns `first` … `first + count - 1` of all presentations in the order of the file; `out`
    /// is presentations × count, row by row, of the type of `labels().values`. Each chunk of the
    /// file is read once per call (see `useful_cache`). Throws `InputError` if the file is damaged.
    void read_columns(std::size_t first, std::size_t count, std::span<float> out) const;
    void read_columns(std::size_t first, std::size_t count, std::span<double> out) const;

    /// Whether compressed chunks can be inflated by several threads.
    bool is_deflated() const;
    /// Who inflates them, in place of the thread that reads; nobody else may use these
    /// workers meanwhile. To be said before `reading_bytes` is asked for.
    void use_workers(std::shared_ptr<core::Workers> workers);

    /// Memory that reading `count` columns takes beside `out`.
    std::size_t reading_bytes(std::size_t count) const;

    bool is_chunked() const;
    /// Chunks that do not end with the columns of a call are read again by the next one unless they
    /// are kept: this is how much it takes to read each only once when columns are read in order,
    /// `count` at a time. Zero if nothing is gained.
    std::size_t useful_cache(std::size_t count) const;
    void use_cache(std::size_t bytes);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ventral::io

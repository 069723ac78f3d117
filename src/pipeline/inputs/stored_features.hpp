#pragma once
/// @file
/// Features that somebody else has computed, as a model that needs no network.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "core/time_bin.hpp"
#include "models/model_record.hpp"

namespace ventral::pipeline {

/// The layer that features without a coordinate `layer` have.
inline const std::string only_layer = "features";

/// A file of features: its labels, and its values by columns as they are needed. Features that
/// change in time, and whole numbers, which become float64, are read as a whole.
class StoredFeatures {
public:
    /// Compressed columns are inflated by so many threads. Throws `core::InputError` as
    /// `io::read_assembly` does, and for texts.
    explicit StoredFeatures(const std::string& path, const std::string& variable = "",
                            std::size_t threads = 1);
    ~StoredFeatures();
    StoredFeatures(StoredFeatures&&) noexcept;
    StoredFeatures& operator=(StoredFeatures&&) = delete;

    /// All there is if they are read whole. Else dims presentation, neuroid, of the labels of
    /// neuroids `layer` and `neuroid_id`, and no values, though of their type. Its name is the
    /// path.
    const core::Assembly& labels() const;
    bool is_whole() const;

    /// Columns [first, first + count) of a layer of what is not whole, row by row, of the type of
    /// its values. One thread at a time, and nothing else of this process may use HDF5 then. Throws
    /// `core::InputError` if the file is damaged.
    void read_columns(const std::string& layer, std::size_t first, std::size_t count,
                      std::span<float> out) const;
    void read_columns(const std::string& layer, std::size_t first, std::size_t count,
                      std::span<double> out) const;

    /// In memory, all the time.
    std::size_t kept_bytes() const;
    /// In memory while a slab of columns is read, beside them.
    std::size_t reading_bytes() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The features that a model stores. Throws likewise.
StoredFeatures open_stored(const models::ModelRecord& model, std::size_t threads = 1);

/// The layers of an assembly of features: the distinct values of the neuroid coordinate `layer` in
/// order of appearance, or `only_layer`.
std::vector<std::string> stored_layers(const core::Assembly& features);

/// What is said of a layer that is not among these, with the near names.
std::string lacks_layer(const std::string& layer, const std::vector<std::string>& layers);

/// True for features that change in time: of several time bins. Others are those of every bin.
bool change_in_time(const core::Assembly& features);

/// Of features that change in time; else none. Throws `core::InputError` if they are not labelled.
core::TimeBins own_time_bins(const core::Assembly& features);

/// How many presentations there are, those of each time bin apart if the features change in time.
std::size_t rows_in_time(const core::Assembly& features);

/// The positions of a layer along neuroid. Throws as `stored_layer`.
std::vector<std::size_t> stored_columns(const core::Assembly& features, const std::string& layer);

/// The number of features of a layer. Throws as `stored_layer`.
std::size_t stored_layer_size(const core::Assembly& features, const std::string& layer);

/// The part of one layer, of features that are whole: dims presentation × neuroid. Throws
/// `core::InputError` with the near names if there is no such layer.
core::Assembly stored_layer(const core::Assembly& features, const std::string& layer);

/// The labels of a layer alone, without values.
core::Assembly layer_labels(const core::Assembly& features, const std::string& layer);

/// Whether `stored_layer` would be a copy of the features: they are the layer, dims presentation ×
/// neuroid.
bool is_layer_itself(const core::Assembly& features, const std::string& layer);

/// Of features that change in time, what they are in `bins` (`models::align_time_bins`): the
/// presentations of the first bin, then those of the second. Without bins they are in each of their
/// own what is stored; features that do not change are the same as above. Throws `core::InputError`
/// for a bin that the features do not cover.
core::Assembly stored_layer(const core::Assembly& features, const std::string& layer,
                            const core::TimeBins& bins);

}  // namespace ventral::pipeline

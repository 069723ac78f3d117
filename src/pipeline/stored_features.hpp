#pragma once
/// @file
/// Features that somebody else has computed, as a model that needs no network.

#include <string>
#include <vector>

#include "benchmarks/benchmark_record.hpp"
#include "core/assembly.hpp"
#include "models/model_record.hpp"

namespace ventral::pipeline {

/// The layer that features without a coordinate `layer` have.
inline const std::string only_layer = "features";

/// The features that a model stores. Throws `core::InputError` as `io::read_assembly` does.
core::Assembly read_stored(const models::ModelRecord& model);

/// The layers of an assembly of features: the distinct values of the neuroid coordinate `layer` in
/// order of appearance, or `only_layer`.
std::vector<std::string> stored_layers(const core::Assembly& features);

/// True for features that change in time: of several time bins. Others are those of every bin.
bool change_in_time(const core::Assembly& features);

/// Of features that change in time; else none. Throws `core::InputError` if they are not labelled.
std::vector<benchmarks::TimeBin> own_time_bins(const core::Assembly& features);

/// How many presentations there are, those of each time bin apart if the features change in time.
std::size_t rows_in_time(const core::Assembly& features);

/// The positions of a layer along neuroid. Throws as `stored_layer`.
std::vector<std::size_t> stored_columns(const core::Assembly& features, const std::string& layer);

/// The number of features of a layer. Throws as `stored_layer`.
std::size_t stored_layer_size(const core::Assembly& features, const std::string& layer);

/// The part of one layer, dims presentation × neuroid. Throws `core::InputError` with the near
/// names if there is no such layer.
core::Assembly stored_layer(const core::Assembly& features, const std::string& layer);

/// Whether `stored_layer` would be a copy of the features: they are the layer, dims presentation ×
/// neuroid.
bool is_layer_itself(const core::Assembly& features, const std::string& layer);

/// Of features that change in time, what they are in `bins` (`models::align_time_bins`): the
/// presentations of the first bin, then those of the second. Without bins they are in each of their
/// own what is stored; features that do not change are the same as above. Throws `core::InputError`
/// for a bin that the features do not cover.
core::Assembly stored_layer(const core::Assembly& features, const std::string& layer,
                            const std::vector<benchmarks::TimeBin>& bins);

}  // namespace ventral::pipeline

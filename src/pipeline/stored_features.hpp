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

/// The number of features of a layer. Throws as `stored_layer`.
std::size_t stored_layer_size(const core::Assembly& features, const std::string& layer);

/// The part of one layer, dims presentation × neuroid. Throws `core::InputError` with the near
/// names if there is no such layer.
core::Assembly stored_layer(const core::Assembly& features, const std::string& layer);

/// Whether `stored_layer` would be a copy of the features: they are the layer, dims presentation ×
/// neuroid.
bool is_layer_itself(const core::Assembly& features, const std::string& layer);

/// Of features that change in time, what they are in `bins` (`models::align_time_bins`): the
/// presentations of the first bin, then those of the second. Without bins the same as above. Throws
/// `core::InputError` for a bin that the features do not cover.
core::Assembly stored_layer(const core::Assembly& features, const std::string& layer,
                            const std::vector<benchmarks::TimeBin>& bins);

}  // namespace ventral::pipeline

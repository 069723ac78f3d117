#pragma once
/// @file
/// Features that somebody else has computed, as a model that needs no network.

#include <string>
#include <vector>

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

/// The part of one layer, dims presentation × neuroid. Throws `core::InputError` with the near
/// names if there is no such layer.
core::Assembly stored_layer(const core::Assembly& features, const std::string& layer);

}  // namespace ventral::pipeline

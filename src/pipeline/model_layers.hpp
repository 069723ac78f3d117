#pragma once
/// @file
/// The layers of a model of the configuration.

#include <optional>
#include <vector>

#include "models/layer_summary.hpp"
#include "models/model_record.hpp"

namespace ventral::pipeline {

/// What `summarise_layers` tells of the network, for an input of the given shape or, without one,
/// of the shape that the model's preprocessing gives to all images. Stored features have layers of
/// one axis and cost nothing. Throws `core::InputError` if the file is wrong, or if the shape of
/// the input is neither given nor known.
std::vector<models::LayerSummary> model_layers(const models::ModelRecord& model,
                                               std::optional<models::InputShape> input);

}  // namespace ventral::pipeline

#pragma once
/// @file
/// The layers of a model of the configuration.

#include <optional>
#include <vector>

#include "models/model_record.hpp"
#include "models/recording/layer_summary.hpp"

namespace ventral::pipeline {

/// Of a network's input; nothing if the model has no [preprocessing], or one that leaves images
/// sizes of their own.
std::optional<models::InputShape> known_input(const models::ModelRecord& model);

/// What `summarise_layers` tells of the network, for the shape of input that its preprocessing
/// gives to all images. Stored features have layers of one axis and cost nothing. Throws
/// `core::InputError` if the file is wrong or the shape depends on the image.
std::vector<models::LayerSummary> model_layers(const models::ModelRecord& model);

}  // namespace ventral::pipeline

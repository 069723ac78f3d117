#pragma once
/// @file
/// Whether a file of activations can have a layer. The writer refuses the same, but names neither
/// the model nor a reason that its user can act on.

#include <string>

#include "models/model_record.hpp"
#include "models/recording/recorder.hpp"

namespace ventral::pipeline {

/// Throws `core::InputError` for a name that HDF5 takes for a path.
void check_storable_name(const models::ModelRecord& model, const std::string& layer);

/// Throws `core::InputError` for a layer without a single number.
void check_storable_size(const models::LayerShape& shape, const models::ModelRecord& model,
                         const std::string& layer);

}  // namespace ventral::pipeline

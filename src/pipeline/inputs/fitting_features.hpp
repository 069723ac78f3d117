#pragma once
/// @file
/// The stored features that the PCA of stored features is fitted on.

#include <string>

#include "core/assembly.hpp"
#include "models/model_record.hpp"
#include "pipeline/inputs/stored_features.hpp"

namespace ventral::pipeline {

/// The file that the model's record names. Throws `core::InputError` as `io::read_assembly` does.
StoredFeatures open_fitting(const models::ModelRecord& model, std::size_t threads = 1);

/// Throws `core::InputError` unless `layer` is the same in both, by their labels: as many features,
/// of numbers with a fraction, by the same `neuroid_id` where both have them, and in the same time
/// bins if those of either change in time.
void check_fitting(const core::Assembly& fitting, const core::Assembly& features,
                   const std::string& layer);

}  // namespace ventral::pipeline

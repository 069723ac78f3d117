#pragma once
/// @file
/// Which of the layers that a run asks for its network cannot give, so that the others can be had.

#include <map>
#include <string>
#include <vector>

#include "core/stimulus_set.hpp"
#include "models/model_record.hpp"

namespace ventral::pipeline {

/// Layer → why it cannot be recorded: it is not there, is never called, is not called for the first
/// of `stimuli`, gives no row of numbers for each stimulus, has no axis of time where the model
/// has one, or cannot be stored. What fails whatever the layers are, as a stimulus that cannot be
/// read, is no layer's fault and is not told. Loads the network; throws `core::InputError` if it
/// cannot be loaded.
std::map<std::string, std::string> unrecordable_layers(const models::ModelRecord& model,
                                                       const core::StimulusSet& stimuli,
                                                       const std::vector<std::string>& layers);

}  // namespace ventral::pipeline

#pragma once
/// @file
/// From a stimulus file to the tensor that a model's network reads.

#include <string>
#include <vector>

#include "models/model_record.hpp"

namespace ventral::models {

/// `stimuli::load_stimulus` as the record says, which has a [preprocessing]; "tensor" resizes by
/// libtorch. Any number of threads may call it. Throws `core::InputError` as that does.
std::vector<float> load_input(const ModelRecord& model, const std::string& path,
                              double stimulus_degrees);

}  // namespace ventral::models

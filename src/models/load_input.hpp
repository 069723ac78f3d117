#pragma once
/// @file
/// From a stimulus file to the tensor that a model's network reads.

#include <string>
#include <vector>

#include "models/model_record.hpp"
#include "stimuli/preprocessing.hpp"

namespace ventral::models {

/// Of the tensors that the model's [preprocessing] makes. Throws `core::InputError` if it has none,
/// or one that leaves images sizes of their own.
stimuli::TensorShape input_shape(const ModelRecord& model);

/// `stimuli::load_stimulus` as the record says, which has a [preprocessing]; "tensor" resizes by
/// libtorch. Any number of threads may call it. Throws `core::InputError` as that does.
std::vector<float> load_input(const ModelRecord& model, const std::string& path,
                              double stimulus_degrees);

}  // namespace ventral::models

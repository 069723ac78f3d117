#pragma once
/// @file
/// All the steps from a stimulus file to the tensor that a network reads.

#include <string>
#include <vector>

#include "stimuli/preprocessing.hpp"

namespace ventral::stimuli {

/// decode → place_on_screen → preprocess: channel × row × column. May be called by many threads at
/// once. Throws `InputError` as these do. `resize_tensor` is for the backend that needs it.
std::vector<float> load_stimulus(const std::string& path, double stimulus_degrees,
                                 double screen_degrees, const Preprocessing& preprocessing,
                                 const ResizeTensor& resize_tensor = {});

}  // namespace ventral::stimuli

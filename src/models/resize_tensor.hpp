#pragma once
/// @file
/// How torchvision resizes tensors: by libtorch's own operators.

#include <vector>

#include "stimuli/preprocessing.hpp"

namespace ventral::models {

/// A `stimuli::ResizeTensor`: torch's `interpolate` with `align_corners=False` and without
/// antialiasing, on the CPU. After `configure_torch_thread` it stays on the calling thread.
std::vector<float> resize_tensor(std::vector<float> values, stimuli::Size from, stimuli::Size to,
                                 stimuli::Interpolation interpolation);

}  // namespace ventral::models

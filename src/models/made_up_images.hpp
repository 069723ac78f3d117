#pragma once
/// @file
/// Images to try a network on before any stimulus is read.

#include <vector>

#include "models/recorder.hpp"

namespace ventral::models {

/// Noise in the range of normalised pixels, always the same. Black images would not do: some
/// networks refuse them, divide by their contrast or never end on them.
std::vector<float> made_up_images(BatchShape shape);

}  // namespace ventral::models

#pragma once
/// @file
/// Pixels to a PNG file.

#include <string>

#include "stimuli/image.hpp"

namespace ventral::stimuli {

/// Modes grey, grey_alpha, rgb and rgba, 8 bits a channel; equal images give equal files. Throws
/// `InputError` if the file cannot be written.
void write_png(const std::string& path, const Image& image);

}  // namespace ventral::stimuli

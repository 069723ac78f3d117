#pragma once
/// @file
/// PNG bytes to pixels.

#include <cstdint>
#include <span>
#include <string>

#include "stimuli/image.hpp"

namespace ventral::stimuli {

/// Grey of 1, 2, 4 and 8 bits, grey with alpha, RGB, RGBA and palettes, interlaced or not. `path`
/// is kept in the image and begins every message. Stricter than PIL in one way: every checksum, and
/// the end mark, must be right. Throws `InputError`.
Image decode_png(std::span<const std::uint8_t> bytes, const std::string& path);

}  // namespace ventral::stimuli

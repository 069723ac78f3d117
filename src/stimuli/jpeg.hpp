#pragma once
/// @file
/// JPEG bytes to pixels and back, both as PIL does by default through the same libjpeg-turbo.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stimuli/image.hpp"

namespace ventral::stimuli {

/// Grey or RGB, baseline or progressive, any chroma subsampling. `path` is kept in the image and
/// begins every message. Like PIL it forgives damaged data that still decodes, but not missing data
/// or a missing end mark. Throws `InputError`.
Image decode_jpeg(std::span<const std::uint8_t> bytes, const std::string& path);

/// What PIL's `save` writes by default: quality 75, chroma 4:2:0. Throws `InputError` if the mode
/// has alpha or a palette, or a side is above 65500.
std::vector<std::uint8_t> encode_jpeg(const Image& image);

}  // namespace ventral::stimuli

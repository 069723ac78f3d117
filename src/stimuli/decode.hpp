#pragma once
/// @file
/// Image files to pixels, byte for byte as PIL decodes them.

#include <string>

#include "stimuli/image.hpp"

namespace ventral::stimuli {

/// The PNG or JPEG at `path`; its content decides which, not its name. No gamma, no colour profile,
/// no EXIF rotation. Throws `InputError` if the file is missing, empty, truncated, corrupt, of
/// another format, too large, a PNG of 16 bits or a JPEG of four channels.
Image decode(const std::string& path);

}  // namespace ventral::stimuli

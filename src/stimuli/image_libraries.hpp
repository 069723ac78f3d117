#pragma once
/// @file
/// Which libraries decode images.

#include <string>

namespace ventral::stimuli {

/// For example "libpng 1.6.39, libjpeg-turbo 2.1.5".
std::string image_libraries();

}  // namespace ventral::stimuli

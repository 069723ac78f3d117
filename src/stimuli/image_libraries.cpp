#include "stimuli/image_libraries.hpp"

#include <cstdio>

#include <jpeglib.h>
#include <png.h>

namespace ventral::stimuli {

std::string image_libraries() {
    constexpr int major = LIBJPEG_TURBO_VERSION_NUMBER / 1000000;
    constexpr int minor = LIBJPEG_TURBO_VERSION_NUMBER / 1000 % 1000;
    constexpr int patch = LIBJPEG_TURBO_VERSION_NUMBER % 1000;
    return "libpng " + std::string(png_get_libpng_ver(nullptr)) + ", libjpeg-turbo " +
           std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace ventral::stimuli

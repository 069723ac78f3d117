#include "stimuli/write_png.hpp"

#include <cassert>

#include <png.h>

#include "core/errors.hpp"

namespace ventral::stimuli {
namespace {

png_uint_32 format_of(PixelMode mode) {
    switch (mode) {
        case PixelMode::grey_alpha:
            return PNG_FORMAT_GA;
        case PixelMode::rgb:
            return PNG_FORMAT_RGB;
        case PixelMode::rgba:
            return PNG_FORMAT_RGBA;
        default:
            return PNG_FORMAT_GRAY;
    }
}

}  // namespace

void write_png(const std::string& path, const Image& image) {
    assert(image.mode != PixelMode::palette && image.mode != PixelMode::one_bit);
    check_size(image.width, image.height, path);
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    header.width = static_cast<png_uint_32>(image.width);
    header.height = static_cast<png_uint_32>(image.height);
    header.format = format_of(image.mode);
    constexpr int eight_bits_as_they_are = 0;
    if (!png_image_write_to_file(&header, path.c_str(), eight_bits_as_they_are, image.pixels.data(),
                                 0, nullptr))
        throw core::OutputError(path + ": cannot be written (" + header.message + ")");
}

}  // namespace ventral::stimuli

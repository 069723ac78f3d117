#include "stimuli/image.hpp"

#include "core/errors.hpp"

namespace ventral::stimuli {
namespace {

template <typename ColourAt>
std::vector<std::uint8_t> rgb_pixels(std::size_t count, ColourAt colour_at) {
    std::vector<std::uint8_t> rgb(3 * count);
    for (std::size_t i = 0; i < count; ++i) {
        const Colour colour = colour_at(i);
        for (std::size_t c = 0; c < 3; ++c) rgb[3 * i + c] = colour[c];
    }
    return rgb;
}

std::string size_text(std::size_t width, std::size_t height) {
    return std::to_string(width) + " x " + std::to_string(height) + " pixels";
}

bool is_too_large(std::size_t width, std::size_t height) { return width > max_pixels / height; }

}  // namespace

void check_size(std::size_t width, std::size_t height, const std::string& path) {
    const auto size = size_text(width, height);
    if (width == 0 || height == 0)
        throw core::InputError(path + ": has no pixels (its size is " + size + ")");
    if (is_too_large(width, height))
        throw core::InputError(path + ": is too large (" + size + ", PIL refuses more than " +
                               std::to_string(max_pixels) + ") use a smaller image");
}

void check_computed_size(std::size_t width, std::size_t height, const std::string& path,
                         const SizeChange& change) {
    const auto size = size_text(width, height);
    if (width == 0 || height == 0)
        throw core::InputError(path + ": would have no pixels after " + change.step +
                               " (its size would be " + size + ") " + change.cure);
    if (is_too_large(width, height))
        throw core::InputError(path + ": would be too large after " + change.step + " (" + size +
                               ", PIL refuses more than " + std::to_string(max_pixels) + ") " +
                               change.cure);
}

std::size_t channels(PixelMode mode) {
    switch (mode) {
        case PixelMode::grey_alpha:
            return 2;
        case PixelMode::rgb:
            return 3;
        case PixelMode::rgba:
            return 4;
        default:
            return 1;
    }
}

std::string name_of(PixelMode mode) {
    switch (mode) {
        case PixelMode::grey:
            return "L";
        case PixelMode::grey_alpha:
            return "LA";
        case PixelMode::rgb:
            return "RGB";
        case PixelMode::rgba:
            return "RGBA";
        case PixelMode::palette:
            return "P";
        default:
            return "1";
    }
}

Image to_rgb(const Image& image) {
    if (image.mode == PixelMode::rgb) return image;
    const auto* from = image.pixels.data();
    const auto step = channels(image.mode);
    const auto count = image.width * image.height;
    Image rgb{image.width, image.height, PixelMode::rgb, {}, {}, image.path};
    if (image.mode == PixelMode::rgba)
        rgb.pixels = rgb_pixels(count, [&](std::size_t i) {
            return Colour{from[4 * i], from[4 * i + 1], from[4 * i + 2]};
        });
    else if (image.mode == PixelMode::palette)
        rgb.pixels = rgb_pixels(count, [&](std::size_t i) { return image.palette[from[i]]; });
    else
        rgb.pixels = rgb_pixels(count, [&](std::size_t i) {
            return Colour{from[i * step], from[i * step], from[i * step]};
        });
    return rgb;
}

}  // namespace ventral::stimuli

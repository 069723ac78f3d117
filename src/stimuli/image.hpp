#pragma once
/// @file
/// A picture in memory, in the pixel format that its file has, and its conversion to RGB.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ventral::stimuli {

/// PIL's modes L, LA, RGB, RGBA, P and 1, one byte a channel. In `one_bit` the byte is 0 or 255, in
/// `palette` an index. A transparent colour (PNG's tRNS) is ignored as the reference ignores it.
enum class PixelMode { grey, grey_alpha, rgb, rgba, palette, one_bit };

using Colour = std::array<std::uint8_t, 3>;

struct Image {
    std::size_t width = 0;
    std::size_t height = 0;
    PixelMode mode = PixelMode::rgb;
    std::vector<std::uint8_t> pixels;  ///< height × width × channels(mode)
    std::vector<Colour> palette;       ///< 256 colours in mode palette, else empty
    std::string path;                  ///< the file it came from: for messages, and see screen.hpp
};

/// PIL refuses pictures above this as decompression bombs; so do we.
inline constexpr std::size_t max_pixels = 178'956'970;

/// Throws `InputError` that begins with `path` if the size is zero or above `max_pixels`.
void check_size(std::size_t width, std::size_t height, const std::string& path);

/// What makes an image of another size, and what else to do if that size is refused.
struct SizeChange {
    std::string step;  ///< "resize = 224"
    std::string cure;
};

/// As `check_size` of a size that an image would have after a change.
void check_computed_size(std::size_t width, std::size_t height, const std::string& path,
                         const SizeChange& change);

std::size_t channels(PixelMode mode);
/// PIL's name of the mode: "L", "LA", "RGB", "RGBA", "P", "1".
std::string name_of(PixelMode mode);

/// The image in mode rgb, as the reference makes it by pasting on an RGB canvas: grey is
/// replicated, the palette looked up, alpha dropped without being applied.
Image to_rgb(const Image& image);

}  // namespace ventral::stimuli

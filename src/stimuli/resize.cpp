#include "stimuli/resize.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <span>
#include <type_traits>

namespace ventral::stimuli {
namespace {

/// Also the bytes of an RGB column in one strip of rows.
constexpr std::size_t block_size = 48;

std::uint8_t to_byte(std::int32_t sum) {
    return static_cast<std::uint8_t>(std::clamp(sum >> weight_bits, 0, 255));
}

/// out[j] = Σ_k weights[k] · lines[k · length + j], for `count` ≤ block_size values of j.
template <typename Count>
void blend_block(const std::uint8_t* lines, std::size_t length,
                 std::span<const std::int32_t> weights, std::uint8_t* out, Count count) {
    std::array<std::int32_t, block_size> sums;
    sums.fill(1 << (weight_bits - 1));
    for (std::int32_t weight : weights) {
        for (std::size_t j = 0; j < count; ++j) sums[j] += weight * lines[j];
        lines += length;
    }
    for (std::size_t j = 0; j < count; ++j) out[j] = to_byte(sums[j]);
}

/// The weighted sum of consecutive lines of `length` bytes. Full blocks have a length known to the
/// compiler, so that their sums stay in vector registers.
void blend(const std::uint8_t* lines, std::size_t length, std::span<const std::int32_t> weights,
           std::uint8_t* out) {
    std::size_t j = 0;
    for (; j + block_size <= length; j += block_size)
        blend_block(lines + j, length, weights, out + j,
                    std::integral_constant<std::size_t, block_size>{});
    if (j < length) blend_block(lines + j, length, weights, out + j, length - j);
}

Image blank(const Image& like, Size size) {
    Image image{size.width, size.height, like.mode, {}, {}, like.path};
    image.pixels.resize(size.width * size.height * channels(like.mode));
    return image;
}

/// Strips of 16 rows are transposed, so that the sum along a row becomes one over whole lines.
Image resize_rows(const Image& image, std::size_t width, Interpolation interpolation) {
    constexpr std::size_t strip_rows = 16;
    const auto taps = resampling(image.width, width, interpolation);
    const auto step = channels(image.mode);
    const auto line = step * strip_rows;
    auto result = blank(image, {image.height, width});
    std::vector<std::uint8_t> strip(image.width * line);
    std::vector<std::uint8_t> column(line);
    for (std::size_t top = 0; top < image.height; top += strip_rows) {
        const auto rows = std::min(strip_rows, image.height - top);
        for (std::size_t r = 0; r < rows; ++r) {
            const auto* row = image.pixels.data() + (top + r) * image.width * step;
            for (std::size_t i = 0; i < image.width * step; ++i) strip[i * strip_rows + r] = row[i];
        }
        for (std::size_t x = 0; x < width; ++x) {
            blend(strip.data() + taps.first[x] * line, line, taps.weights(x), column.data());
            for (std::size_t r = 0; r < rows; ++r) {
                auto* pixel = result.pixels.data() + ((top + r) * width + x) * step;
                for (std::size_t c = 0; c < step; ++c) pixel[c] = column[c * strip_rows + r];
            }
        }
    }
    return result;
}

Image resize_columns(const Image& image, std::size_t height, Interpolation interpolation) {
    const auto taps = resampling(image.height, height, interpolation);
    const auto line = image.width * channels(image.mode);
    auto result = blank(image, {height, image.width});
    for (std::size_t y = 0; y < height; ++y)
        blend(image.pixels.data() + taps.first[y] * line, line, taps.weights(y),
              result.pixels.data() + y * line);
    return result;
}

Image resize_channels(const Image& image, Size size, Interpolation interpolation) {
    if (size.width == image.width) return resize_columns(image, size.height, interpolation);
    auto rows = resize_rows(image, size.width, interpolation);
    if (size.height == image.height) return rows;
    return resize_columns(rows, size.height, interpolation);
}

Image take_nearest(const Image& image, Size size) {
    const auto columns = nearest_samples(image.width, size.width);
    const auto step = channels(image.mode);
    auto result = blank(image, size);
    auto* to = result.pixels.data();
    for (const auto row : nearest_samples(image.height, size.height)) {
        const auto* from = image.pixels.data() + row * image.width * step;
        for (const auto column : columns) to = std::copy_n(from + column * step, step, to);
    }
    return result;
}

/// a·b/255 rounded, by Pillow's shifts.
std::uint8_t multiplied(std::uint32_t value, std::uint32_t alpha) {
    const auto product = value * alpha + 128;
    return static_cast<std::uint8_t>(((product >> 8) + product) >> 8);
}

std::uint8_t divided(std::uint32_t value, std::uint32_t alpha) {
    if (alpha == 0 || alpha == 255) return static_cast<std::uint8_t>(value);
    return static_cast<std::uint8_t>(std::min(255 * value / alpha, 255U));
}

template <typename Change>
void change_colours(Image& image, Change change) {
    const auto step = channels(image.mode);
    for (std::size_t i = 0; i < image.pixels.size(); i += step)
        for (std::size_t c = 0; c + 1 < step; ++c)
            image.pixels[i + c] = change(image.pixels[i + c], image.pixels[i + step - 1]);
}

}  // namespace

Image resize(const Image& image, Size size, Interpolation interpolation) {
    assert(image.mode != PixelMode::palette && image.mode != PixelMode::one_bit);
    check_computed_size(size.width, size.height, image.path, {"the resize", "use another size"});
    if (size == Size{image.height, image.width}) return image;
    if (interpolation == Interpolation::nearest) return take_nearest(image, size);
    if (image.mode == PixelMode::grey || image.mode == PixelMode::rgb)
        return resize_channels(image, size, interpolation);
    Image premultiplied = image;
    change_colours(premultiplied, multiplied);
    auto result = resize_channels(premultiplied, size, interpolation);
    change_colours(result, divided);
    return result;
}

}  // namespace ventral::stimuli

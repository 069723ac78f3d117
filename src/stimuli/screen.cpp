#include "stimuli/screen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "stimuli/jpeg.hpp"

namespace ventral::stimuli {
namespace {

constexpr std::uint8_t background = 128;

std::size_t scaled(std::size_t side, double ratio, const std::string& path) {
    const double result = std::nearbyint(ratio * static_cast<double>(side));
    if (result > static_cast<double>(max_pixels))
        throw core::InputError(path + ": would be " + core::number_text(result) +
                               " pixels wide or high on the screen (too many) check the degrees");
    return static_cast<std::size_t>(result);
}

/// Half to even, as numpy rounds.
std::size_t half(std::size_t difference) {
    return static_cast<std::size_t>(std::nearbyint(static_cast<double>(difference) / 2.0));
}

void copy_rows(const Image& from, std::size_t from_byte, Image& to, std::size_t to_byte) {
    const auto step = channels(from.mode);
    const auto count = std::min(from.width, to.width) * step;
    for (std::size_t y = 0; y < std::min(from.height, to.height); ++y)
        std::copy_n(from.pixels.data() + from_byte + y * from.width * step, count,
                    to.pixels.data() + to_byte + y * to.width * step);
}

Image padded(const Image& image, std::size_t width, std::size_t height) {
    Image canvas{width, height, PixelMode::rgb, {}, {}, image.path};
    canvas.pixels.assign(width * height * 3, background);
    const auto offset = half(height - image.height) * width + half(width - image.width);
    copy_rows(to_rgb(image), 0, canvas, 3 * offset);
    return canvas;
}

Image cropped(const Image& image, std::size_t width, std::size_t height) {
    Image middle{width, height, image.mode, {}, image.palette, image.path};
    const auto step = channels(image.mode);
    middle.pixels.resize(width * height * step);
    const auto offset = half(image.height - height) * image.width + half(image.width - width);
    copy_rows(image, step * offset, middle, 0);
    return middle;
}

bool saved_as_jpeg(const std::string& path) {
    const auto ending = core::lower_case(std::filesystem::path(path).extension().string());
    constexpr std::array endings{".jpg", ".jpeg", ".jpe", ".jfif"};
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

}  // namespace

Image place_on_screen(Image image, double stimulus_degrees, double screen_degrees) {
    for (double degrees : {stimulus_degrees, screen_degrees})
        if (!(degrees > 0) || !std::isfinite(degrees))
            throw core::InputError(image.path + ": cannot be placed at " +
                                   core::number_text(degrees) +
                                   " visual degrees (they must be above 0)");
    if (stimulus_degrees == screen_degrees) return image;
    const double ratio = screen_degrees / stimulus_degrees;
    const auto width = scaled(image.width, ratio, image.path);
    const auto height = scaled(image.height, ratio, image.path);
    check_computed_size(width, height, image.path,
                        {"it is placed on the screen", "check the degrees"});
    auto placed = ratio >= 1 ? padded(image, width, height) : cropped(image, width, height);
    if (saved_as_jpeg(image.path)) return decode_jpeg(encode_jpeg(placed), image.path);
    return placed;
}

}  // namespace ventral::stimuli

#include "stimuli/preprocessing.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "core/number_text.hpp"

namespace ventral::stimuli {
namespace {

using Table = std::array<std::array<float, 256>, 3>;

std::string text(const std::array<float, 3>& values) {
    return core::number_text(values[0]) + "," + core::number_text(values[1]) + "," +
           core::number_text(values[2]);
}

std::string text(const std::optional<std::size_t>& size) {
    return size ? std::to_string(*size) : "none";
}

Size resized(const Preprocessing& preprocessing, Size image) {
    if (preprocessing.resize_exact) return *preprocessing.resize_exact;
    if (!preprocessing.resize) return image;
    const auto side = *preprocessing.resize;
    const auto [shorter, longer] = std::minmax({image.height, image.width});
    const auto other =
        static_cast<std::size_t>(static_cast<double>(side * longer) / static_cast<double>(shorter));
    return image.width <= image.height ? Size{other, side} : Size{side, other};
}

/// Where the crop begins; negative where the image is smaller and gets a black edge.
std::ptrdiff_t crop_offset(std::size_t image, std::size_t crop) {
    const auto room = static_cast<std::ptrdiff_t>(image) - static_cast<std::ptrdiff_t>(crop);
    if (room < 0) return -(-room / 2);
    return static_cast<std::ptrdiff_t>(std::nearbyint(static_cast<double>(room) / 2.0));
}

float normalised(float value, std::size_t channel, const Preprocessing& preprocessing) {
    return (value - preprocessing.mean[channel]) / preprocessing.standard_deviation[channel];
}

/// ToTensor has 256 possible results, and so has Normalize per channel.
float unit_value(std::size_t byte) { return static_cast<float>(byte) / 255.0F; }

Table normalised_values(const Preprocessing& preprocessing) {
    Table table;
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t v = 0; v < 256; ++v)
            table[c][v] = normalised(unit_value(v), c, preprocessing);
    return table;
}

/// A stretch of one row of an image in one channel.
struct Stretch {
    std::size_t channel;
    std::size_t row;
    std::size_t column;
    std::size_t width;
};

/// The centred window of `size` of an image, black where there is no image. `copy_row` puts the
/// normalised values of a stretch where it is told.
template <typename CopyRow>
std::vector<float> window(Size image, Size size, const Preprocessing& preprocessing,
                          const CopyRow& copy_row) {
    const auto area = size.height * size.width;
    const auto top = crop_offset(image.height, size.height);
    const auto left = crop_offset(image.width, size.width);
    const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(-left, 0));
    const auto x0 = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(begin) + left);
    const auto width = std::min(size.width, begin + image.width) - begin;
    std::vector<float> tensor(3 * area);
    for (std::size_t c = 0; c < 3; ++c) {
        std::fill_n(tensor.begin() + static_cast<std::ptrdiff_t>(c * area), area,
                    normalised(0.0F, c, preprocessing));
        for (std::size_t y = 0; y < size.height; ++y) {
            const auto row = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(y) + top);
            if (row >= image.height) continue;
            copy_row(Stretch{c, row, x0, width}, tensor.data() + c * area + y * size.width + begin);
        }
    }
    return tensor;
}

std::vector<float> window(const Image& rgb, Size size, const Preprocessing& preprocessing) {
    const auto table = normalised_values(preprocessing);
    return window(
        {rgb.height, rgb.width}, size, preprocessing, [&](const Stretch& part, float* to) {
            const auto* from =
                rgb.pixels.data() + (part.row * rgb.width + part.column) * 3 + part.channel;
            for (std::size_t x = 0; x < part.width; ++x, from += 3)
                to[x] = table[part.channel][*from];
        });
}

/// ToTensor.
std::vector<float> unit_values(const Image& rgb) {
    const auto area = rgb.height * rgb.width;
    std::vector<float> values(3 * area);
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t i = 0; i < area; ++i)
            values[c * area + i] = unit_value(rgb.pixels[i * 3 + c]);
    return values;
}

std::vector<float> window(const std::vector<float>& values, Size image, Size size,
                          const Preprocessing& preprocessing) {
    return window(image, size, preprocessing, [&](const Stretch& part, float* to) {
        const auto* from =
            values.data() + (part.channel * image.height + part.row) * image.width + part.column;
        for (std::size_t x = 0; x < part.width; ++x)
            to[x] = normalised(from[x], part.channel, preprocessing);
    });
}

bool has_resize(const Preprocessing& preprocessing) {
    return preprocessing.resize || preprocessing.resize_exact;
}

bool has_tensor_form(Interpolation interpolation) {
    using enum Interpolation;
    return interpolation == nearest || interpolation == bilinear || interpolation == bicubic;
}

SizeChange resize_change(const Preprocessing& preprocessing) {
    if (const auto& exact = preprocessing.resize_exact)
        return {"resize = [" + std::to_string(exact->height) + ", " + std::to_string(exact->width) +
                    "]",
                "use a smaller one"};
    return {"resize = " + text(preprocessing.resize) + ", which is the short side",
            "use resize = [height, width], or a less narrow image"};
}

void check_sizes(const Preprocessing& preprocessing, Size resized_to, Size wanted,
                 const std::string& path) {
    if (has_resize(preprocessing))
        check_computed_size(resized_to.width, resized_to.height, path,
                            resize_change(preprocessing));
    if (preprocessing.crop)
        check_computed_size(wanted.width, wanted.height, path,
                            {"crop = " + text(preprocessing.crop), "use a smaller one"});
}

void require(bool holds, const std::string& problem) {
    if (!holds) throw core::InputError("preprocessing." + problem);
}

void require_side(const std::string& name, std::size_t side) {
    require(side > 0 && side <= max_pixels, name + ": is " + std::to_string(side) + " (use 1 to " +
                                                std::to_string(max_pixels) + " pixels)");
}

}  // namespace

void check(const Preprocessing& preprocessing) {
    require(preprocessing.backend == Preprocessing::Backend::pil ||
                has_tensor_form(preprocessing.interpolation),
            "interpolation: \"" + name_of(preprocessing.interpolation) +
                "\" is not there for tensors (torch has nearest, bilinear and bicubic) use one of "
                "these, or backend = \"pil\"");
    require(!preprocessing.resize || !preprocessing.resize_exact,
            "resize: is given as short side and as exact size (they exclude each other)");
    if (preprocessing.resize) require_side("resize", *preprocessing.resize);
    if (preprocessing.crop) require_side("crop", *preprocessing.crop);
    if (preprocessing.resize_exact) {
        require_side("resize", preprocessing.resize_exact->height);
        require_side("resize", preprocessing.resize_exact->width);
    }
    for (float mean : preprocessing.mean)
        require(std::isfinite(mean), "mean: is not finite (use the mean of values in 0..1)");
    for (float deviation : preprocessing.standard_deviation)
        require(std::isfinite(deviation) && deviation > 0,
                "std: is " + core::number_text(deviation) + " (it divides: use a number above 0)");
}

std::string description(const Preprocessing& preprocessing) {
    const auto backend = preprocessing.backend == Preprocessing::Backend::pil ? "pil" : "tensor";
    const auto& exact = preprocessing.resize_exact;
    return std::string("backend=") + backend + " resize=" +
           (exact ? std::to_string(exact->height) + "x" + std::to_string(exact->width)
                  : text(preprocessing.resize)) +
           " crop=" + text(preprocessing.crop) +
           " interpolation=" + name_of(preprocessing.interpolation) +
           " mean=" + text(preprocessing.mean) + " std=" + text(preprocessing.standard_deviation);
}

TensorShape tensor_shape(const Preprocessing& preprocessing, Size image) {
    if (const auto fixed = tensor_shape(preprocessing)) return *fixed;
    const auto size = resized(preprocessing, image);
    return {3, size.height, size.width};
}

std::optional<TensorShape> tensor_shape(const Preprocessing& preprocessing) {
    if (preprocessing.crop) return TensorShape{3, *preprocessing.crop, *preprocessing.crop};
    if (const auto& exact = preprocessing.resize_exact)
        return TensorShape{3, exact->height, exact->width};
    return std::nullopt;
}

std::vector<float> preprocess(const Image& image, const Preprocessing& preprocessing,
                              const ResizeTensor& resize_tensor) {
    check(preprocessing);
    const Size size = resized(preprocessing, {image.height, image.width});
    const auto shape = tensor_shape(preprocessing, {image.height, image.width});
    const Size wanted{shape[1], shape[2]};
    check_sizes(preprocessing, size, wanted, image.path);
    if (preprocessing.backend == Preprocessing::Backend::pil)
        return window(resize(to_rgb(image), size, preprocessing.interpolation), wanted,
                      preprocessing);
    auto values = unit_values(to_rgb(image));
    if (has_resize(preprocessing)) {
        assert(resize_tensor);
        values = resize_tensor(std::move(values), {image.height, image.width}, size,
                               preprocessing.interpolation);
    }
    return window(values, size, wanted, preprocessing);
}

}  // namespace ventral::stimuli

#include "stimuli/preprocessing.hpp"

#include <algorithm>
#include <cmath>

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

/// ToTensor and Normalize have 256 possible inputs per channel.
Table normalised_values(const Preprocessing& preprocessing) {
    Table table;
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t v = 0; v < 256; ++v)
            table[c][v] = (static_cast<float>(v) / 255.0F - preprocessing.mean[c]) /
                          preprocessing.standard_deviation[c];
    return table;
}

std::vector<float> window(const Image& rgb, Size size, const Table& table) {
    const auto area = size.height * size.width;
    const auto top = crop_offset(rgb.height, size.height);
    const auto left = crop_offset(rgb.width, size.width);
    const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(-left, 0));
    const auto end = std::min(size.width, begin + rgb.width);
    std::vector<float> tensor(3 * area);
    for (std::size_t c = 0; c < 3; ++c) {
        std::fill_n(tensor.begin() + static_cast<std::ptrdiff_t>(c * area), area, table[c][0]);
        for (std::size_t y = 0; y < size.height; ++y) {
            const auto row = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(y) + top);
            if (row >= rgb.height) continue;
            const auto x0 = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(begin) + left);
            const auto* from = rgb.pixels.data() + (row * rgb.width + x0) * 3 + c;
            auto* to = tensor.data() + c * area + y * size.width;
            for (std::size_t x = begin; x < end; ++x, from += 3) to[x] = table[c][*from];
        }
    }
    return tensor;
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
    require(preprocessing.backend == Preprocessing::Backend::pil,
            "backend: \"tensor\" is not supported yet (only PIL's resizing is) use \"pil\"");
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

std::vector<float> preprocess(const Image& image, const Preprocessing& preprocessing) {
    check(preprocessing);
    const auto size = resized(preprocessing, {image.height, image.width});
    const auto rgb = resize(to_rgb(image), size, preprocessing.interpolation);
    const auto shape = tensor_shape(preprocessing, {image.height, image.width});
    check_size(shape[2], shape[1], image.path);
    return window(rgb, {shape[1], shape[2]}, normalised_values(preprocessing));
}

}  // namespace ventral::stimuli

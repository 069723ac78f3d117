#include "stimuli/microsaccades.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/errors.hpp"
#include "core/number_text.hpp"

namespace ventral::stimuli {
namespace {

/// The two pixels that a shifted one lies between along an axis, and the weight of each.
struct Neighbours {
    std::size_t first = 0;
    std::size_t second = 0;
    float weight_of_first = 1;
    float weight_of_second = 0;
};

long floor_divide(long dividend, long divisor) {
    return (dividend < 0 ? dividend - divisor + 1 : dividend) / divisor;
}

/// OpenCV rounds the shift to a 1024th of a pixel and the place to a 32nd.
std::vector<Neighbours> neighbours(std::size_t size, double shift) {
    constexpr long fine = 1024;
    constexpr long places = 32;
    constexpr long step = fine / places;
    const auto offset =
        std::lrint(-static_cast<double>(static_cast<float>(shift)) * static_cast<double>(fine)) +
        step / 2;
    const auto last = static_cast<long>(size) - 1;
    std::vector<Neighbours> result;
    for (long i = 0; i <= last; ++i) {
        const long place = floor_divide(offset + i * fine, step);
        const long whole = floor_divide(place, places);
        const auto fraction =
            static_cast<float>(place - whole * places) / static_cast<float>(places);
        result.push_back({static_cast<std::size_t>(std::clamp(whole, 0L, last)),
                          static_cast<std::size_t>(std::clamp(whole + 1, 0L, last)), 1 - fraction,
                          fraction});
    }
    return result;
}

}  // namespace

std::vector<Microsaccade> microsaccades(std::size_t trials, double visual_degrees,
                                        std::size_t height_pixels) {
    if (!(visual_degrees > 0) || !std::isfinite(visual_degrees))
        throw core::InputError("visual_degrees: " + core::number_text(visual_degrees) +
                               " is no size of a screen (it must be finite and positive)");
    const auto count = static_cast<double>(trials);
    const auto height = static_cast<double>(height_pixels);
    const double radius = microsaccade_extent_degrees / visual_degrees * height;
    const double spacing = radius / std::sqrt(count);
    const double pixels_per_degree = height / visual_degrees;
    std::vector<Microsaccade> result;
    for (std::size_t i = 0; i < trials; ++i) {
        const auto trial = static_cast<double>(i);
        const double distance = std::sqrt(trial / count) * radius;
        const double angle = spacing * std::sqrt(trial) * 2 * std::numbers::pi / radius;
        const double x = distance * std::cos(angle);
        const double y = distance * std::sin(angle);
        result.push_back({x, y, x / pixels_per_degree, y / pixels_per_degree});
    }
    return result;
}

std::vector<float> shifted(std::span<const float> tensor, const TensorShape& shape, double x_pixels,
                           double y_pixels) {
    const auto [channels, height, width] = shape;
    const auto columns = neighbours(width, x_pixels);
    const auto rows = neighbours(height, y_pixels);
    std::vector<float> result;
    result.reserve(tensor.size());
    for (std::size_t channel = 0; channel < channels; ++channel)
        for (const auto& row : rows) {
            const auto first = tensor.subspan((channel * height + row.first) * width, width);
            const auto second = tensor.subspan((channel * height + row.second) * width, width);
            for (const auto& column : columns)
                result.push_back(
                    first[column.first] * (row.weight_of_first * column.weight_of_first) +
                    first[column.second] * (row.weight_of_first * column.weight_of_second) +
                    second[column.first] * (row.weight_of_second * column.weight_of_first) +
                    second[column.second] * (row.weight_of_second * column.weight_of_second));
        }
    return result;
}

}  // namespace ventral::stimuli

#include "stimuli/resampling.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace ventral::stimuli {
namespace {

double half_width(Interpolation interpolation) {
    switch (interpolation) {
        case Interpolation::box:
            return 0.5;
        case Interpolation::bilinear:
            return 1.0;
        case Interpolation::bicubic:
            return 2.0;
        default:
            return 3.0;
    }
}

double cubic(double x) {
    constexpr double a = -0.5;
    x = std::abs(x);
    if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1;
    if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * a;
    return 0.0;
}

double sinc(double x) {
    if (x == 0.0) return 1.0;
    x *= std::numbers::pi;
    return std::sin(x) / x;
}

double kernel(Interpolation interpolation, double x) {
    switch (interpolation) {
        case Interpolation::box:
            return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
        case Interpolation::bilinear:
            return std::max(1.0 - std::abs(x), 0.0);
        case Interpolation::bicubic:
            return cubic(x);
        default:
            return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0;
    }
}

std::int32_t fixed_point(double weight) {
    constexpr double one = 1 << weight_bits;
    return static_cast<std::int32_t>(weight * one + (weight < 0 ? -0.5 : 0.5));
}

}  // namespace

std::string name_of(Interpolation interpolation) {
    switch (interpolation) {
        case Interpolation::box:
            return "box";
        case Interpolation::bilinear:
            return "bilinear";
        case Interpolation::bicubic:
            return "bicubic";
        case Interpolation::lanczos:
            return "lanczos";
        default:
            return "nearest";
    }
}

Resampling resampling(std::size_t input, std::size_t output, Interpolation interpolation) {
    assert(interpolation != Interpolation::nearest);
    const auto last = static_cast<double>(input);
    const double scale = last / static_cast<double>(output);
    const double widening = std::max(scale, 1.0);
    const double support = half_width(interpolation) * widening;
    const double narrowing =
        1.0 / widening;  // multiplied, as in Pillow: a division rounds otherwise

    Resampling result;
    result.offset.push_back(0);
    std::vector<double> weights;
    for (std::size_t i = 0; i < output; ++i) {
        const double centre = (static_cast<double>(i) + 0.5) * scale;
        const auto begin = static_cast<std::size_t>(std::max(centre - support + 0.5, 0.0));
        const auto end = static_cast<std::size_t>(std::min(centre + support + 0.5, last));
        weights.clear();
        double sum = 0.0;
        for (std::size_t k = begin; k < end; ++k) {
            const double x = (static_cast<double>(k) - centre + 0.5) * narrowing;
            weights.push_back(kernel(interpolation, x));
            sum += weights.back();
        }
        for (double weight : weights)
            result.weight.push_back(fixed_point(sum != 0.0 ? weight / sum : weight));
        result.first.push_back(begin);
        result.offset.push_back(result.weight.size());
    }
    return result;
}

std::vector<std::size_t> nearest_samples(std::size_t input, std::size_t output) {
    const double step = static_cast<double>(input) / static_cast<double>(output);
    std::vector<std::size_t> samples(output);
    double position = step * 0.5;
    for (auto& sample : samples) {
        sample = std::min(static_cast<std::size_t>(position), input - 1);
        position += step;  // added up, as in Pillow: a product rounds otherwise
    }
    return samples;
}

}  // namespace ventral::stimuli

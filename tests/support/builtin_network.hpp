#pragma once
/// @file
/// Built-in networks and images for them: gratings, and pixels as they come.

#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "models/network/load_network.hpp"
#include "models/recording/recorder.hpp"

namespace ventral::test {

/// A record whose stimuli are resized to `pixels` and fill a screen of 8 degrees.
inline models::ModelRecord builtin_record(models::Builtin builtin, std::size_t pixels) {
    models::ModelRecord record;
    record.identifier = name_of(builtin);
    record.origin = record.identifier + ".toml";
    record.builtin = builtin;
    record.preprocessing.emplace();
    record.preprocessing->resize = record.preprocessing->crop = pixels;
    return record;
}

/// A grey image of 3 channels, row by row.
struct SquareImage {
    std::size_t pixels;
    std::vector<float> values;
};

template <typename Grey>
SquareImage grey_image(std::size_t pixels, const Grey& grey) {
    SquareImage image{pixels, {}};
    for (int channel = 0; channel < 3; ++channel)
        for (std::size_t y = 0; y < pixels; ++y)
            for (std::size_t x = 0; x < pixels; ++x)
                image.values.push_back(static_cast<float>(grey(x, y)));
    return image;
}

inline SquareImage uniform_image(std::size_t pixels, double grey) {
    return grey_image(pixels, [&](std::size_t, std::size_t) { return grey; });
}

/// mean + amplitude · cos(2π · cycles_per_pixel · (x cos + y sin of the orientation) + phase).
struct Grating {
    double cycles_per_pixel;
    double orientation_degrees = 0;
    double phase_degrees = 0;
    double amplitude = 0.5;
    double mean = 0;
};

inline SquareImage grating_image(std::size_t pixels, const Grating& grating) {
    const double degree = std::numbers::pi / 180;
    const double angle = grating.orientation_degrees * degree;
    return grey_image(pixels, [&](std::size_t x, std::size_t y) {
        const double along =
            static_cast<double>(x) * std::cos(angle) + static_cast<double>(y) * std::sin(angle);
        return grating.mean + grating.amplitude *
                                  std::cos(2 * std::numbers::pi * grating.cycles_per_pixel * along +
                                           grating.phase_degrees * degree);
    });
}

/// What a layer gives for one image.
inline models::LayerOutput respond(const models::Network& network, const std::string& layer,
                                   const SquareImage& image) {
    const auto side = static_cast<std::int64_t>(image.pixels);
    return models::LayerRecorder(network, {layer}).record(image.values, {1, 3, side, side})[0];
}

/// Euclidean distance over the norm of the first.
inline double relative_change(const std::vector<float>& a, const std::vector<float>& b) {
    double difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference += std::pow(double{a[i]} - double{b[i]}, 2);
    return std::sqrt(difference / std::inner_product(a.begin(), a.end(), a.begin(), 0.0));
}

}  // namespace ventral::test

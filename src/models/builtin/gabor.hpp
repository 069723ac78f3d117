#pragma once
/// @file
/// Gabor functions, a cosine wave under a Gaussian, sampled on a square of pixels. How they are
/// centred and scaled is for the models that use them.

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "models/builtin/script_module.hpp"

namespace ventral::models {

/// Lengths in pixels, angles in radians. `orientation` is the direction in which the wave runs,
/// from the x axis towards the y axis, which points down: its stripes are at right angles to it.
struct Gabor {
    double wavelength;
    double orientation;
    double phase;         ///< the wave is cos(2π x / wavelength + phase)
    double sigma_across;  ///< of the Gaussian, in the direction in which the wave runs
    double sigma_along;   ///< along the stripes

    double wave(double x, double y) const {
        return std::cos(2 * std::numbers::pi * across(x, y) / wavelength + phase);
    }
    double envelope(double x, double y) const {
        const double u = across(x, y) / sigma_across;
        const double v = (y * std::cos(orientation) - x * std::sin(orientation)) / sigma_along;
        return std::exp(-(u * u + v * v) / 2);
    }

private:
    double across(double x, double y) const {
        return x * std::cos(orientation) + y * std::sin(orientation);
    }
};

/// `sample` at the pixels of a square around its middle, row by row: at …, -1, 0, 1, … for an odd
/// number of pixels, at …, -0.5, 0.5, … for an even one.
std::vector<double> on_square(int pixels, const std::function<double(double x, double y)>& sample);

/// Weights of a convolution of one channel, [filters × 1 × pixels × pixels].
ScriptWeight filter_weights(const std::string& name, int pixels,
                            const std::vector<std::vector<double>>& filters);

/// Weights [1 × 3 × 1 × 1] that make luminance of RGB: those of ITU-R BT.601, as PIL's "L".
ScriptWeight luminance_weights(const std::string& name);

}  // namespace ventral::models

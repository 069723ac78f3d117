#pragma once
/// @file
/// Trials that differ: a network that always answers the same is shown a stimulus at slightly
/// shifted places (Brain-Score's `MicrosaccadeHelper`, NUMERICS section 15).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stimuli/preprocessing.hpp"

namespace ventral::stimuli {

/// Where one trial looks: to the right and down.
struct Microsaccade {
    double x_pixels = 0;
    double y_pixels = 0;
    double x_degrees = 0;
    double y_degrees = 0;
};

/// How far microsaccades go (M. Rolfs, Vision Research 49 (2009), gives below 0.1 degrees).
inline constexpr double microsaccade_extent_degrees = 0.05;

/// Bump when a bit of a shifted image changes.
inline constexpr int microsaccades_version = 1;

/// More than any benchmark asks for; what is beyond is taken for a slip of the pen.
inline constexpr std::int64_t most_trials = 1'000'000;

/// One per trial, on a spiral from the centre on that fills a disc evenly; the first is no shift.
/// Throws `InputError` if the degrees are not finite and positive.
std::vector<Microsaccade> microsaccades(std::size_t trials, double visual_degrees,
                                        std::size_t height_pixels);

/// `tensor` (channel × row × column) moved right and down by these pixels, as OpenCV's `warpAffine`
/// does it: bilinear at a 32nd of a pixel, with the edges' pixels beyond the edges.
std::vector<float> shifted(std::span<const float> tensor, const TensorShape& shape, double x_pixels,
                           double y_pixels);

}  // namespace ventral::stimuli

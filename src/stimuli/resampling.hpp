#pragma once
/// @file
/// The weights by which one output sample is made from input samples when a row or column is
/// resized.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ventral::stimuli {

/// Kernels of half-width ½, 1, 2 (Keys' cubic, a = −½) and 3; `nearest` takes one sample as it is.
enum class Interpolation { box, bilinear, bicubic, lanczos, nearest };

std::string name_of(Interpolation interpolation);

/// Bits behind the point of the fixed-point weights.
inline constexpr int weight_bits = 22;

/// For each output sample a run of neighbouring input samples and their weights.
struct Resampling {
    std::vector<std::size_t> first;    ///< first input sample, per output sample
    std::vector<std::size_t> offset;   ///< where its weights begin; one more than output samples
    std::vector<std::int32_t> weight;  ///< fixed point, about 2^weight_bits in sum

    std::span<const std::int32_t> weights(std::size_t output) const {
        return std::span(weight).subspan(offset[output], offset[output + 1] - offset[output]);
    }
};

/// Pillow's weights for 8-bit images (its `precompute_coeffs` and `normalize_coeffs_8bpc`): the
/// kernel is widened by input/output when shrinking, so that it also removes aliasing. Not for
/// `nearest`.
Resampling resampling(std::size_t input, std::size_t output, Interpolation interpolation);

/// The input sample that each output sample is with `nearest` (Pillow's `ImagingScaleAffine`).
std::vector<std::size_t> nearest_samples(std::size_t input, std::size_t output);

}  // namespace ventral::stimuli

#pragma once
/// @file
/// Pillow's `Image.resize`, byte for byte.

#include "stimuli/image.hpp"
#include "stimuli/resampling.hpp"

namespace ventral::stimuli {

struct Size {
    std::size_t height = 0;
    std::size_t width = 0;
    bool operator==(const Size&) const = default;
};

/// Modes grey, grey_alpha, rgb and rgba (Pillow ignores the interpolation of the others: convert
/// them first). Rows first, rounded to 8 bits, then columns. Alpha is multiplied in before and out
/// after, except with `nearest`. Throws `InputError` if `size` is empty or above `max_pixels`.
Image resize(const Image& image, Size size, Interpolation interpolation);

}  // namespace ventral::stimuli

#pragma once
/// @file
/// Images by formula for the demo: a shape of one of eight kinds among oriented patches.

#include <cstddef>
#include <cstdint>
#include <string>

#include "stimuli/image.hpp"

namespace ventral::stimuli {

/// Width and height of a demo image.
inline constexpr std::size_t demo_image_pixels = 64;

struct DemoImage {
    Image image;              ///< RGB
    std::string object_name;  ///< the kind of its shape
};

/// Image number `index` of the series that `seed` names: fourteen Gabor patches of random place,
/// orientation, size, contrast and colour, and in front of them shape number `index` modulo eight,
/// half transparent, of random place, size, orientation and colour. No image depends on another.
DemoImage demo_image(std::size_t index, std::uint64_t seed);

}  // namespace ventral::stimuli

#pragma once
/// @file
/// Images that resemble natural ones in their statistics, for what has to be learnt where there
/// are no photographs.

#include <cstddef>
#include <vector>

#include "core/portable_random.hpp"

namespace ventral::models {

/// pixels × pixels grey values in 0..1, row by row: discs and squares of any size and grey that
/// hide each other, as many small as large ones at every scale ("dead leaves", A. Lee, D. Mumford,
/// J. Huang, Int. J. Computer Vision 41, 2001). They have the edges, occlusions and roughly the
/// 1/f² power spectrum of natural images, and nothing of their objects.
std::vector<float> dead_leaves(std::size_t pixels, core::PortableRandom& random);

}  // namespace ventral::models

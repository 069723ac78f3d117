#pragma once
/// @file
/// The memory of a Gram in two blocks, so that what is needed while it is built can be given back.

#include <cstddef>
#include <span>

#include "stats/gram.hpp"

namespace ventral::stats {

/// Cuts `GramSizes::kept` doubles, which the Gram is, and `GramSizes::scratch` others into the
/// parts.
GramMemory gram_parts(std::span<double> kept, std::span<double> scratch, std::size_t rows,
                      std::size_t features);

}  // namespace ventral::stats

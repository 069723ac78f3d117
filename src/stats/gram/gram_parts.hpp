#pragma once
/// @file
/// How the memory of a Gram is cut: in two blocks, so that what is needed while it is built can be
/// given back, and what of it belongs to a lane.

#include <cstddef>
#include <span>

#include "stats/gram/gram.hpp"

namespace ventral::stats {

/// Cuts `GramSizes::kept` doubles, which the Gram is, and `GramSizes::scratch` others into the
/// parts.
GramMemory gram_parts(std::span<double> kept, std::span<double> scratch, std::size_t rows,
                      std::size_t features);

/// What the panels of a lane are added to; the first one's is the Gram itself.
struct LaneSums {
    std::span<double> kernel, centred_times_mean, row_sums, row_extremes, mean_squared;
};
LaneSums sums_of(const GramMemory& memory, std::size_t lane);

}  // namespace ventral::stats

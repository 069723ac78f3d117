#pragma once
/// @file
/// How much of the buffers of fits is in memory at once, on ranks that share the fold groups: for
/// plans.

#include <cstddef>
#include <vector>

#include "metrics/fit_buffers.hpp"

namespace ventral::pipeline {

/// What works on a node.
struct Workforce {
    std::size_t ranks = 1;
    std::size_t threads = 1;  ///< of each rank
};

/// In bytes.
struct MostInWork {
    double rank = 0;  ///< of the rank that holds most
    double node = 0;  ///< of all ranks together
};

/// The most that ranks hold which take the groups of these scores one after the other, each as many
/// at a time as it has threads. One rank has them in rows of so many. Of several each begins where
/// the others are by then, and they ask in turn if they ask at once, else one alone.
MostInWork most_in_work(const std::vector<metrics::FitBuffers>& scores, const Workforce& workforce);

}  // namespace ventral::pipeline

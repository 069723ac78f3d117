#pragma once
/// @file
/// The part of a rank in numerics that the ranks of a node do together, in memory that all see.

#include <cstddef>
#include <functional>

namespace ventral::stats {

/// One rank alone unless it is told otherwise. Whatever takes a share is collective over its ranks.
struct TeamShare {
    std::size_t rank = 0;
    std::size_t size = 1;
    /// Returns when all ranks have called it; what they wrote before, all see then.
    std::function<void()> barrier = [] {};
};

}  // namespace ventral::stats

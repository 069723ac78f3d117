#pragma once
/// @file
/// The part of a rank in numerics that the ranks of a node do together, in memory that all see.

#include <cstddef>
#include <functional>

namespace ventral::stats {

struct TeamShare {
    std::size_t rank = 0;
    std::size_t size = 1;
    std::function<void()> barrier = [] {};
};

}  // namespace ventral::stats

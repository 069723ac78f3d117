#pragma once
/// @file
/// A part of an array.

#include <cstddef>
#include <vector>

namespace ventral::io {

/// Along each dim the first entry and how many.
struct Block {
    std::vector<std::size_t> start, count;
};

}  // namespace ventral::io

#pragma once
/// @file
/// Ranges of rows or columns that tasks work on, cut by their number alone.

#include <algorithm>
#include <vector>

#include <Eigen/Core>

namespace ventral::stats {

struct Block {
    Eigen::Index first;
    Eigen::Index count;
};

/// [0, count) in as few ranges of at most `largest` as possible, none more than one longer than
/// another.
inline std::vector<Block> even_blocks(Eigen::Index count, Eigen::Index largest) {
    const Eigen::Index number = (count + largest - 1) / largest;
    std::vector<Block> blocks;
    for (Eigen::Index b = 0; b < number; ++b) {
        const Eigen::Index first = b * count / number;
        blocks.push_back({first, (b + 1) * count / number - first});
    }
    return blocks;
}

}  // namespace ventral::stats

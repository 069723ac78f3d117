#pragma once
/// @file
/// Ranges of rows or columns that tasks work on, cut by their number alone.

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "core/ceil_divide.hpp"
#include "core/workers.hpp"

namespace ventral::stats {

struct Block {
    Eigen::Index first;
    Eigen::Index count;
};

/// [0, count) in as few ranges of at most `largest` as possible, none more than one longer than
/// another.
inline std::vector<Block> even_blocks(Eigen::Index count, Eigen::Index largest) {
    const Eigen::Index number = core::ceil_divide(count, largest);
    std::vector<Block> blocks;
    for (Eigen::Index b = 0; b < number; ++b) {
        const Eigen::Index first = b * count / number;
        blocks.push_back({first, (b + 1) * count / number - first});
    }
    return blocks;
}

/// `task(block)` for each of the even blocks, by the workers.
template <typename Task>
void for_blocks(Eigen::Index count, Eigen::Index largest, core::Workers& workers,
                const Task& task) {
    const auto blocks = even_blocks(count, largest);
    workers.parallel_for(blocks.size(), [&](std::size_t b) { task(blocks[b]); });
}

/// `task(j)` for each of the columns, in blocks of neighbours.
template <typename Task>
void for_columns(Eigen::Index columns, core::Workers& workers, const Task& task) {
    constexpr Eigen::Index largest = 128;
    for_blocks(columns, largest, workers, [&](const Block& block) {
        for (Eigen::Index j = block.first; j < block.first + block.count; ++j) task(j);
    });
}

}  // namespace ventral::stats

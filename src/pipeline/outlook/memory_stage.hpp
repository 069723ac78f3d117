#pragma once
/// @file
/// What the ranks of a node have in memory at some stage of their work, and what they keep of it.

#include <cstddef>
#include <string>
#include <vector>

namespace ventral::pipeline {

/// In bytes.
struct MemoryStage {
    std::string name;        ///< "Gram of layer4", "fits to layer4", …
    double shared = 0;       ///< once for a node: what its ranks share, and keep of it
    double kept = 0;         ///< of that, in blocks that ranks keep when they are given back
    double first_rank = 0;   ///< of the one that reads for the others, or that has most in work,
                             ///< beside what each has
    double other_ranks = 0;  ///< of each of the others, beside what each has
    double a_rank = 0;       ///< of each

    /// Adds a block to what is shared.
    void share(double block);
    double of_node(std::size_t ranks) const;
    /// Of the first rank with what it shares: what the kernel calls resident.
    double of_first_rank() const { return shared + first_rank + a_rank; }
};

/// Adds what the ranks keep of the memory that they have shared in stages before.
void add_spare_memory(std::vector<MemoryStage>& stages, std::size_t ranks);

}  // namespace ventral::pipeline

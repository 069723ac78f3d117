#pragma once
/// @file
/// What becomes of memory that is freed, so that a process takes what it uses and little more.

#include <cstddef>

#include "core/block_pool.hpp"

namespace ventral::core {

/// Blocks from this size on are mapped each by itself, and given back when they are freed.
inline constexpr std::size_t large_block = std::size_t{64} << 20;

/// From here on; smaller blocks are kept for the next ones that are asked for.
void map_large_blocks();

/// Gives back what is kept, also in the pools of threads.
void give_back_freed_memory();

/// What may be kept of freed memory where work goes on that will ask for it again.
inline constexpr std::size_t little_memory = std::size_t{8} << 20;

/// Gives back what is kept if that is more than `little_memory`: new pages can be dear, and
/// threads wait for each other when memory is given back. Of calls that follow each other fast some
/// do nothing: to look takes the longer the more small blocks are free, and may take a twentieth of
/// the time.
void give_back_much_freed_memory();

/// While it lives, large blocks are kept too: with every batch a network asks for the same ones
/// again, and to map them anew costs more than half of its speed. Gives back what is kept in the
/// end. Not nested.
class KeepsFreedBlocks {
public:
    KeepsFreedBlocks();
    ~KeepsFreedBlocks();
    KeepsFreedBlocks(const KeepsFreedBlocks&) = delete;
    KeepsFreedBlocks& operator=(const KeepsFreedBlocks&) = delete;
};

/// A block for a tensor, aligned to `block_alignment`. While freed blocks are kept those of a
/// thread, but for small ones, lie in a pool of its own, so that what they take does not depend on
/// what other threads do meanwhile; not where addresses are bounded (`ulimit -v`) nor under
/// sanitizers. nullptr if there is no memory, or a large one would leave less than `spare_memory`.
void* take_block(std::size_t bytes) noexcept;

/// Of any thread; `block` may be nullptr.
void put_block(void* block) noexcept;

}  // namespace ventral::core

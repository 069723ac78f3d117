#include "core/allocator.hpp"

#include <malloc.h>

namespace ventral::core {

void map_large_blocks() { mallopt(M_MMAP_THRESHOLD, large_block); }

void give_back_freed_memory() { malloc_trim(0); }

KeepsFreedBlocks::KeepsFreedBlocks() {
    constexpr int beyond_any_tensor = 1 << 30;
    mallopt(M_MMAP_THRESHOLD, beyond_any_tensor);
}

KeepsFreedBlocks::~KeepsFreedBlocks() {
    map_large_blocks();
    give_back_freed_memory();
}

}  // namespace ventral::core

#include "core/large_pages.hpp"

#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

namespace ventral::core {

void prefer_large_pages(std::span<std::byte> memory) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    const std::size_t before = (page - begin % page) % page;  // the advice is for whole pages
    if (before >= memory.size()) return;
    madvise(memory.data() + before, (memory.size() - before) / page * page, MADV_HUGEPAGE);
}

}  // namespace ventral::core

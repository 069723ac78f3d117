#include "core/large_pages.hpp"

#include <cstdint>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

#include "core/allocator.hpp"

namespace ventral::core {
namespace {

void* map_private(std::size_t bytes) {
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

}  // namespace

void prefer_large_pages(std::span<std::byte> memory) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    const std::size_t before = (page - begin % page) % page;  // the advice is for whole pages
    if (before >= memory.size()) return;
    madvise(memory.data() + before, (memory.size() - before) / page * page, MADV_HUGEPAGE);
}

std::span<std::byte> map_zeros(std::size_t bytes) {
    void* start = map_private(bytes);
    if (start == MAP_FAILED) {
        give_back_freed_memory();  // which counts against a bound as well
        start = map_private(bytes);
    }
    if (start == MAP_FAILED) throw std::bad_alloc();
    const std::span<std::byte> memory(static_cast<std::byte*>(start), bytes);
    prefer_large_pages(memory);
    return memory;
}

void unmap(std::span<std::byte> memory) { munmap(memory.data(), memory.size()); }

bool populate(std::span<std::byte> memory) {
    return madvise(memory.data(), memory.size(), MADV_POPULATE_WRITE) == 0;
}

}  // namespace ventral::core

#include "core/block_pool.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <iterator>
#include <new>

#include <sys/mman.h>

#include "core/ceil_divide.hpp"
#include "core/large_pages.hpp"
#include "core/private_memory.hpp"

namespace ventral::core {
namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;
constexpr std::size_t least_reserved = std::size_t{64} << 20;

/// Addresses that nothing can be written to yet, or nullptr.
void* reserve(std::size_t bytes) {
    void* begin =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return begin == MAP_FAILED ? nullptr : begin;
}

}  // namespace

BlockPool::BlockPool(std::size_t most_bytes) {
    for (std::size_t bytes = most_bytes; bytes >= least_reserved && !begin_; bytes /= 2) {
        void* begin = reserve(bytes);
        if (!begin) continue;
        // A few addresses less, so that the first block begins with a large page.
        const auto address = reinterpret_cast<std::uintptr_t>(begin);
        const auto skipped = round_up(address, large_page) - address;
        if (skipped > 0) munmap(begin, skipped);
        begin_ = static_cast<std::byte*>(begin) + skipped;
        reserved_ = bytes - skipped;
        prefer_large_pages({begin_, reserved_});
    }
}

BlockPool::~BlockPool() {
    if (begin_) munmap(begin_, reserved_);
}

void* BlockPool::take(std::size_t bytes) noexcept {
    if (bytes > reserved_) return nullptr;
    const std::size_t size = round_up(std::max<std::size_t>(bytes, 1), block_alignment);
    const std::lock_guard lock(mutex_);
    try {
        const auto block = block_for(size);
        if (block == blocks_.end()) return nullptr;
        block->second.is_used = true;
        return begin_ + block->first;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

/// The first gap that is wide enough, cut to size, or a block behind the last one; the end if there
/// is no memory for it. Leaves everything as it was if it throws.
BlockPool::Blocks::iterator BlockPool::block_for(std::size_t size) {
    for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
        auto& [place, found] = *block;
        if (found.is_used || found.size < size) continue;
        if (found.size > size) blocks_.emplace(place + size, Block{found.size - size, false});
        found.size = size;
        return block;
    }
    const std::size_t end =
        blocks_.empty() ? 0 : blocks_.rbegin()->first + blocks_.rbegin()->second.size;
    if (!hold(end + size)) return blocks_.end();
    return blocks_.emplace_hint(blocks_.end(), end, Block{size, false});
}

bool BlockPool::hold(std::size_t bytes) {
    if (bytes <= held_) return true;
    const std::size_t wanted = round_up(bytes, large_page);
    if (wanted > reserved_) return false;
    static std::mutex one_pool_at_a_time;  // what one looks for another might take
    const std::lock_guard lock(one_pool_at_a_time);
    if (!has_spare_memory(wanted - held_ + spare_memory)) return false;
    if (mprotect(begin_ + held_, wanted - held_, PROT_READ | PROT_WRITE) != 0) return false;
    held_ = wanted;
    return true;
}

void BlockPool::put(void* block) noexcept {
    const std::lock_guard lock(mutex_);
    auto freed = blocks_.find(static_cast<std::size_t>(static_cast<std::byte*>(block) - begin_));
    assert(freed != blocks_.end() && freed->second.is_used);
    freed->second.is_used = false;
    const auto next = std::next(freed);
    if (next != blocks_.end() && !next->second.is_used) {
        freed->second.size += next->second.size;
        blocks_.erase(next);
    }
    if (freed != blocks_.begin() && !std::prev(freed)->second.is_used) {
        const auto before = std::prev(freed);
        before->second.size += freed->second.size;
        blocks_.erase(freed);
        freed = before;
    }
    if (std::next(freed) == blocks_.end()) blocks_.erase(freed);
}

void BlockPool::give_back() noexcept {
    const std::lock_guard lock(mutex_);
    const std::size_t end =
        blocks_.empty() ? 0 : blocks_.rbegin()->first + blocks_.rbegin()->second.size;
    const std::size_t kept = round_up(end, large_page);
    if (kept >= held_) return;
    // A bound on the process counts what can be written to.
    madvise(begin_ + kept, held_ - kept, MADV_DONTNEED);
    if (mprotect(begin_ + kept, held_ - kept, PROT_NONE) == 0) held_ = kept;
}

std::size_t BlockPool::held() const {
    const std::lock_guard lock(mutex_);
    return held_;
}

}  // namespace ventral::core

#include "core/block_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <sys/mman.h>

namespace ventral::core {
namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;
constexpr std::size_t least_reserved = std::size_t{64} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

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
        const auto skipped = rounded_up(address, large_page) - address;
        if (skipped > 0) munmap(begin, skipped);
        begin_ = static_cast<std::byte*>(begin) + skipped;
        reserved_ = bytes - skipped;
        madvise(begin_, reserved_, MADV_HUGEPAGE);
    }
}

BlockPool::~BlockPool() {
    if (begin_) munmap(begin_, reserved_);
}

void* BlockPool::take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > reserved_) return nullptr;
    const std::size_t size = rounded_up(std::max<std::size_t>(bytes, 1), block_alignment);
    const std::size_t place = place_for(size);
    if (!hold(place + size)) return nullptr;
    const auto gap = gaps_.find(place);
    if (gap != gaps_.end()) {
        const std::size_t left = gap->second - size;
        gaps_.erase(gap);
        if (left > 0) gaps_[place + size] = left;
    } else {
        end_ = place + size;
    }
    used_[place] = size;
    return begin_ + place;
}

/// The first gap that is wide enough, or behind the last block.
std::size_t BlockPool::place_for(std::size_t bytes) const {
    for (const auto& [place, size] : gaps_)
        if (size >= bytes) return place;
    return end_;
}

bool BlockPool::hold(std::size_t bytes) {
    if (bytes <= held_) return true;
    const std::size_t wanted = rounded_up(bytes, large_page);
    if (wanted > reserved_) return false;
    if (mprotect(begin_ + held_, wanted - held_, PROT_READ | PROT_WRITE) != 0) return false;
    held_ = wanted;
    return true;
}

void BlockPool::put(void* block) {
    const std::lock_guard lock(mutex_);
    const auto used = used_.find(static_cast<std::size_t>(static_cast<std::byte*>(block) - begin_));
    std::size_t place = used->first;
    std::size_t size = used->second;
    used_.erase(used);
    const auto next = gaps_.find(place + size);
    if (next != gaps_.end()) {
        size += next->second;
        gaps_.erase(next);
    }
    const auto behind = gaps_.lower_bound(place);
    if (behind != gaps_.begin()) {
        const auto before = std::prev(behind);
        if (before->first + before->second == place) {
            place = before->first;
            size += before->second;
            gaps_.erase(before);
        }
    }
    if (place + size == end_)
        end_ = place;
    else
        gaps_[place] = size;
}

void BlockPool::give_back() {
    const std::lock_guard lock(mutex_);
    const std::size_t kept = rounded_up(end_, large_page);
    if (kept >= held_) return;
    // A new reservation in place of the old pages: a bound on the process counts them no more.
    void* begin = begin_ + kept;
    if (mmap(begin, held_ - kept, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != begin)
        return;
    madvise(begin, held_ - kept, MADV_HUGEPAGE);
    held_ = kept;
}

std::size_t BlockPool::held() const {
    const std::lock_guard lock(mutex_);
    return held_;
}

}  // namespace ventral::core

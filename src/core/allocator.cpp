#include "core/allocator.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

#include <malloc.h>
#include <sys/resource.h>
#include <time.h>

#include "core/private_memory.hpp"

namespace ventral::core {
namespace {

std::atomic<bool> keeps_freed_blocks = false;

/// Smaller ones are not worth a place of their own.
constexpr std::size_t least_in_pool = std::size_t{16} << 10;

/// Smaller ones of a thread without a pool do not look what they leave.
constexpr std::size_t least_that_spares = std::size_t{1} << 20;

/// More than the blocks of a thread take together, and little of the addresses that there are.
/// Nothing where addresses are counted as memory, or a sanitizer watches every block.
std::size_t addresses_of_a_pool() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 0;
#else
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return 0;
    return std::size_t{64} << 30;
#endif
}

/// The pools of all threads, also of those that have ended: others take them over.
class Pools {
public:
    BlockPool* lend() {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) {
            all_.push_back(std::make_unique<BlockPool>(addresses_of_a_pool()));
            idle_.reserve(all_.size());  // `take_back` must not throw
            return all_.back().get();
        }
        BlockPool* pool = idle_.back();
        idle_.pop_back();
        return pool;
    }

    void take_back(BlockPool* pool) noexcept {
        const std::lock_guard lock(mutex_);
        idle_.push_back(pool);
    }

    void give_back_memory() noexcept {
        const std::lock_guard lock(mutex_);
        for (const auto& pool : all_) pool->give_back();
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<BlockPool>> all_;
    std::vector<BlockPool*> idle_;
};

/// The only way to the allocator of libtorch and `operator new` is through objects that everybody
/// shares. Never destroyed: tensors may outlive any other static object.
Pools& pools() {
    static auto& all = *new Pools;
    return all;
}

class OwnPool {
public:
    OwnPool() : pool_(pools().lend()) {}
    ~OwnPool() { pools().take_back(pool_); }
    OwnPool(const OwnPool&) = delete;
    OwnPool& operator=(const OwnPool&) = delete;
    BlockPool* get() const { return pool_; }

private:
    BlockPool* pool_;
};

/// Of the calling thread, or nullptr if there is no memory for one or it could hold nothing.
BlockPool* own_pool() noexcept {
    try {
        static thread_local const OwnPool own;
        return own.get()->reserved() > 0 ? own.get() : nullptr;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

/// In front of each block.
struct alignas(block_alignment) Header {
    BlockPool* pool;  ///< nullptr: of the C library
};

/// What is in memory and in no block in use, as far as these have been written. An older C library
/// does not tell what is in use.
std::int64_t memory_beside_blocks() noexcept {
    auto bytes = static_cast<std::int64_t>(own_resident_memory());
#if __GLIBC_PREREQ(2, 33)
    const auto blocks = mallinfo2();
    bytes -= static_cast<std::int64_t>(blocks.uordblks + blocks.hblkhd);
#endif
    return bytes;
}

/// The least `memory_beside_blocks` seen since all that was kept had been given back.
std::atomic<std::int64_t> least_beside_blocks = 0;

std::int64_t nanoseconds_of(clockid_t clock) noexcept {
    timespec time{};
    clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// `memory_beside_blocks`, or nothing while less than twenty times as long as it took the last time
/// has gone by since.
std::optional<std::int64_t> look_at_kept() noexcept {
    static std::atomic<std::int64_t> next = 0;
    constexpr std::int64_t rest = 20;
    if (nanoseconds_of(CLOCK_MONOTONIC) < next) return std::nullopt;
    const auto start = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
    const auto bytes = memory_beside_blocks();
    const auto taken = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
    next = nanoseconds_of(CLOCK_MONOTONIC) + rest * taken;
    return bytes;
}

}  // namespace

void map_large_blocks() { mallopt(M_MMAP_THRESHOLD, large_block); }

void give_back_freed_memory() {
    pools().give_back_memory();
    malloc_trim(0);
    if (const auto kept = look_at_kept()) least_beside_blocks = *kept;
}

void give_back_much_freed_memory() {
    const auto kept = look_at_kept();
    if (!kept) return;
    if (*kept - least_beside_blocks > static_cast<std::int64_t>(little_memory)) {
        give_back_freed_memory();
        least_beside_blocks = memory_beside_blocks();
    } else if (*kept < least_beside_blocks) {
        least_beside_blocks = *kept;
    }
}

KeepsFreedBlocks::KeepsFreedBlocks() {
    constexpr int beyond_any_tensor = 1 << 30;
    mallopt(M_MMAP_THRESHOLD, beyond_any_tensor);
    keeps_freed_blocks = true;
}

KeepsFreedBlocks::~KeepsFreedBlocks() {
    keeps_freed_blocks = false;
    map_large_blocks();
    give_back_freed_memory();
}

void* take_block(std::size_t bytes) noexcept {
    const std::size_t all = bytes + sizeof(Header);
    if (all < bytes) return nullptr;
    BlockPool* pool = keeps_freed_blocks && bytes >= least_in_pool ? own_pool() : nullptr;
    for (const bool first_try : {true, false}) {
        if (pool)
            if (void* place = pool->take(all)) return ::new (place) Header{pool} + 1;
        void* place = nullptr;
        const bool is_small = !pool && bytes < least_that_spares;
        if ((is_small || has_spare_memory(all + spare_memory)) &&
            posix_memalign(&place, block_alignment, all) == 0)
            return ::new (place) Header{nullptr} + 1;
        // Other threads may keep what this one lacks.
        if (first_try) give_back_freed_memory();
    }
    return nullptr;
}

void put_block(void* block) noexcept {
    if (!block) return;
    auto* header = static_cast<Header*>(block) - 1;
    if (header->pool)
        header->pool->put(header);
    else
        std::free(header);
}

}  // namespace ventral::core

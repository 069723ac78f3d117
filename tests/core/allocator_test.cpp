#include "core/allocator.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include "core/private_memory.hpp"
#include "support/sanitized.hpp"

using namespace ventral;

namespace {

double resident_bytes() {
    std::ifstream status("/proc/self/statm");
    double size = 0;
    double resident = 0;
    status >> size >> resident;
    return resident * 4096;
}

void use(std::size_t bytes) { const std::vector<char> block(bytes, 1); }

constexpr double half_a_block = core::large_block / 2.0;

}  // namespace

TEST_CASE("large blocks are given back when they are freed") {
    if (test::has_address_sanitizer) return;
    core::map_large_blocks();
    const double before = resident_bytes();
    use(4 * core::large_block);
    CHECK(resident_bytes() < before + half_a_block);
}

TEST_CASE("of freed blocks many are given back, few are kept for the next") {
    if (test::has_address_sanitizer) return;
    core::map_large_blocks();
    core::give_back_freed_memory();
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    const auto kept_of = [&](std::size_t bytes) {
        std::vector<std::vector<char>> blocks;
        while (blocks.size() < bytes / mebibyte) blocks.emplace_back(mebibyte, 1);
        const std::vector<char> above_them(mebibyte, 1);
        const double with_blocks = resident_bytes();
        blocks.clear();
        core::give_back_much_freed_memory();
        return static_cast<double>(bytes) - (with_blocks - resident_bytes());
    };
    constexpr auto little = static_cast<double>(core::little_memory);
    CHECK(kept_of(core::little_memory / 2) > little / 4);
    CHECK(kept_of(3 * core::little_memory) < little / 4);
    {
        const std::vector<char> mapped(2 * core::large_block, 1);
        CHECK(kept_of(3 * core::little_memory) < little / 4);
    }
    CHECK(kept_of(3 * core::little_memory) < little / 4);
    // What is in use is none of it.
    const std::vector<std::vector<char>> in_use(100, std::vector<char>(mebibyte, 1));
    CHECK(kept_of(core::little_memory / 2) > little / 4);
}

TEST_CASE("while networks run they are kept, and given back in the end") {
    if (test::has_address_sanitizer) return;
    core::map_large_blocks();
    const double before = resident_bytes();
    {
        const core::KeepsFreedBlocks keeps;
        const std::vector<char> below_the_end(1, 1);
        use(core::large_block);
    }
    CHECK(resident_bytes() < before + half_a_block);
    use(2 * core::large_block);
    CHECK(resident_bytes() < before + half_a_block);
}

TEST_CASE("blocks of a thread are used again while freed ones are kept") {
    if (!test::has_block_pools) return;
    core::put_block(nullptr);
    const double before = resident_bytes();
    {
        const core::KeepsFreedBlocks keeps;
        void* block = core::take_block(2 * core::large_block);
        REQUIRE(block);
        std::memset(block, 1, 2 * core::large_block);
        core::put_block(block);
        REQUIRE(core::take_block(core::large_block) == block);
        core::put_block(block);
        CHECK(resident_bytes() > before + core::large_block);
    }
    CHECK(resident_bytes() < before + half_a_block);
}

TEST_CASE("blocks of one thread do not depend on those of others") {
    if (!test::has_block_pools) return;
    const core::KeepsFreedBlocks keeps;
    void* own = core::take_block(core::large_block);
    core::put_block(own);
    void* of_other = nullptr;
    std::thread([&] { of_other = core::take_block(core::large_block); }).join();
    void* own_again = core::take_block(core::large_block);
    CHECK(own_again == own);
    CHECK(of_other != own);
    core::put_block(own_again);
    core::put_block(of_other);
    // A thread that has ended leaves its pool to the next.
    std::thread([&] {
        void* block = core::take_block(core::large_block);
        CHECK(block == of_other);
        core::put_block(block);
    }).join();
}

TEST_CASE("a block outlives the thread that took it, and the keeping of others") {
    if (!test::has_block_pools) return;
    const double before = resident_bytes();
    void* block = nullptr;
    {
        const core::KeepsFreedBlocks keeps;
        std::thread([&] { block = core::take_block(core::large_block); }).join();
        REQUIRE(block);
        std::memset(block, 7, core::large_block);
    }
    CHECK(static_cast<char*>(block)[core::large_block - 1] == 7);
    void* other = core::take_block(1000);
    CHECK(reinterpret_cast<std::uintptr_t>(other) % core::block_alignment == 0);
    core::put_block(other);
    std::thread([&] { core::put_block(block); }).join();
    CHECK(resident_bytes() > before + half_a_block);
    core::give_back_freed_memory();
    CHECK(resident_bytes() < before + half_a_block);
}

TEST_CASE("where a process may take no more there is no block, and no crash") {
    if (!test::has_block_pools) return;
    rlimit before{};
    getrlimit(RLIMIT_DATA, &before);
    const core::KeepsFreedBlocks keeps;
    void* kept_by_other = nullptr;
    std::thread([&] {
        kept_by_other = core::take_block(2 * core::large_block);
        core::put_block(kept_by_other);
    }).join();
    rlimit bound = before;
    bound.rlim_cur = static_cast<rlim_t>(core::own_memory("VmData")) + core::large_block / 2;
    setrlimit(RLIMIT_DATA, &bound);
    void* too_much = core::take_block(4 * core::large_block);
    // Only because the other thread's pool gives back what it keeps.
    void* as_much = core::take_block(core::large_block);
    setrlimit(RLIMIT_DATA, &before);
    CHECK(kept_by_other);
    CHECK(too_much == nullptr);
    CHECK(as_much);
    core::put_block(as_much);
}

TEST_CASE("a large block leaves what libraries take unseen") {
    if (!test::has_block_pools) return;
    const bool keeps_freed = GENERATE(true, false);
    std::optional<core::KeepsFreedBlocks> keeps;
    if (keeps_freed)
        keeps.emplace();
    else
        core::map_large_blocks();
    core::give_back_freed_memory();
    rlimit before{};
    getrlimit(RLIMIT_DATA, &before);
    rlimit bound = before;
    const auto has = static_cast<rlim_t>(core::own_memory("VmData"));
    bound.rlim_cur = has + core::large_block + core::spare_memory;
    setrlimit(RLIMIT_DATA, &bound);
    const bool has_spare = core::has_spare_memory();
    void* too_near = core::take_block(core::large_block);
    bound.rlim_cur = has + core::large_block + 3 * core::spare_memory;
    setrlimit(RLIMIT_DATA, &bound);
    void* with_room = core::take_block(core::large_block);
    const bool has_still = core::has_spare_memory();
    setrlimit(RLIMIT_DATA, &before);
    CHECK(has_spare);
    CHECK(too_near == nullptr);
    CHECK(with_room);
    CHECK(has_still);
    core::put_block(with_room);
}

#include "core/allocator.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "core/block_pool.hpp"
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
    core::put_block(nullptr);
    const double before = resident_bytes();
    {
        const core::KeepsFreedBlocks keeps;
        void* block = core::take_block(2 * core::large_block);
        REQUIRE(block);
        std::memset(block, 1, 2 * core::large_block);
        core::put_block(block);
        CHECK(core::take_block(core::large_block) == block);
        core::put_block(block);
        CHECK(resident_bytes() > before + core::large_block);
    }
    CHECK(resident_bytes() < before + half_a_block);
}

TEST_CASE("a block outlives the thread that took it, and the keeping of others") {
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
}

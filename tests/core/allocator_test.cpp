#include "core/allocator.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

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

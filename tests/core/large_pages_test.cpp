#include "core/large_pages.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

TEST_CASE("memory of any place and size may be asked for in large pages and keeps what is in it") {
    std::vector<std::byte> memory(std::size_t{5} << 20, std::byte{7});
    const std::span<std::byte> all(memory);
    for (const std::size_t first : {0U, 1U, 4096U})
        for (const std::size_t size : {0U, 1U, 4095U, 4097U, 4U << 20})
            ventral::core::prefer_large_pages(all.subspan(first, size));
    CHECK(std::all_of(all.begin(), all.end(), [](std::byte b) { return b == std::byte{7}; }));
}

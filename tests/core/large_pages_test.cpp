#include "core/large_pages.hpp"

#include <algorithm>
#include <new>
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

TEST_CASE("mapped memory is zero and keeps what is in it when the system gives the rest") {
    const std::size_t size = (std::size_t{5} << 20) + 3;
    const auto memory = ventral::core::map_zeros(size);
    REQUIRE(memory.size() == size);
    memory.back() = std::byte{7};
    ventral::core::populate(memory);
    CHECK(memory.back() == std::byte{7});
    CHECK(std::all_of(memory.begin(), memory.end() - 1,
                      [](std::byte b) { return b == std::byte{0}; }));
    ventral::core::unmap(memory);
    CHECK_THROWS_AS(ventral::core::map_zeros(std::size_t{1} << 62), std::bad_alloc);
}

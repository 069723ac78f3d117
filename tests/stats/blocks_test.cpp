#include "stats/linear_algebra/blocks.hpp"

#include <catch2/catch.hpp>

using namespace ventral::stats;

TEST_CASE("blocks are as few and as even as the limit allows") {
    // 168 in blocks of at most 96: two of 84; 10 of at most 4: three, of 3, 3 and 4.
    const auto two = even_blocks(168, 96);
    REQUIRE(two.size() == 2);
    CHECK(two[0].count == 84);
    CHECK(two[1].first == 84);
    const auto three = even_blocks(10, 4);
    REQUIRE(three.size() == 3);
    Eigen::Index next = 0;
    for (const auto& block : three) {
        CHECK(block.first == next);
        CHECK(block.count >= 3);
        CHECK(block.count <= 4);
        next += block.count;
    }
    CHECK(next == 10);
    CHECK(even_blocks(0, 4).empty());
}

TEST_CASE("a task is run for each block, and for each column") {
    ventral::core::Workers workers(2);
    std::vector<int> visits(300, 0);
    for_blocks(300, 7, workers, [&](const Block& block) {
        for (Eigen::Index i = block.first; i < block.first + block.count; ++i)
            ++visits[static_cast<std::size_t>(i)];
    });
    CHECK(visits == std::vector<int>(300, 1));
    for_columns(300, workers, [&](Eigen::Index j) { ++visits[static_cast<std::size_t>(j)]; });
    CHECK(visits == std::vector<int>(300, 2));
}

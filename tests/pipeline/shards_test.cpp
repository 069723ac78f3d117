#include "pipeline/plan/shards.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral;
using pipeline::deal_shards;

using Numbers = std::vector<std::size_t>;

TEST_CASE("the longest go to the first shards, and each next one to the least loaded") {
    // 7 → 0, 6 → 1, 5 → 2; 4 → 2 (9), 3 → 1 (9), 2 → 0 (9)
    CHECK(deal_shards({4, 7, 2, 5, 6, 3}, 3) == Numbers{2, 0, 0, 2, 1, 1});
}

TEST_CASE("one long piece has a shard of its own, and the others share the rest") {
    CHECK(deal_shards({1, 1, 100, 1, 1, 1, 1}, 3) == Numbers{1, 2, 0, 1, 2, 1, 2});
}

TEST_CASE("equal pieces are dealt in turn, in the order that they are named in") {
    CHECK(deal_shards({3, 3, 3, 3, 3}, 2) == Numbers{0, 1, 0, 1, 0});
    CHECK(deal_shards({0, 0, 0, 0}, 2) == Numbers{0, 1, 0, 1});
}

TEST_CASE("a piece of unknown cost counts as the mean of the known ones") {
    // Known: 6 and 2, mean 4. 6 → 0; 4 → 1; 4 → 1 (8); 2 → 0 (8)
    CHECK(deal_shards({0, 6, 0, 2}, 2) == Numbers{1, 0, 1, 0});
}

TEST_CASE("more shards than pieces leave the last ones empty") {
    CHECK(deal_shards({1, 2}, 1000000000000) == Numbers{1, 0});
    CHECK(deal_shards({}, 3).empty());
}

TEST_CASE("a key has one shard") {
    CHECK(pipeline::hashed_shard("00000000000000ff", 16) == 15);  // 15 digits: 0xf
    CHECK(pipeline::hashed_shard("00000000000001000", 7) == 2);   // 0x10 = 16
}

TEST_CASE("a shard is i/n, counted from 0") {
    const auto shard = pipeline::parse_shard("3/16");
    CHECK(shard.index == 3);
    CHECK(shard.count == 16);
    for (const char* wrong :
         {"", "3", "/", "3/", "/3", "3/3", "4/3", "-1/3", "0/0", "a/b", "1/2/3", "1.5/3"})
        CHECK_THROWS_WITH(pipeline::parse_shard(wrong),
                          Catch::Contains("--shard: '" + std::string(wrong) + "'"));
}

#include "comm/pieces.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

using ventral::comm::for_each_piece;

TEST_CASE("pieces cover the array once, in order, within the limit") {
    std::array<std::int64_t, 7> array{0, 1, 2, 3, 4, 5, 6};
    std::vector<std::int64_t> seen;
    std::vector<int> counts;
    const auto note = [&](std::int64_t* first, int count) {
        counts.push_back(count);
        seen.insert(seen.end(), first, first + count);
    };
    for_each_piece(std::span<std::int64_t>(array), note, 3 * sizeof(std::int64_t));
    CHECK(counts == std::vector<int>{3, 3, 1});
    CHECK(seen == std::vector<std::int64_t>(array.begin(), array.end()));
}

TEST_CASE("an empty array has no pieces") {
    int calls = 0;
    for_each_piece(std::span<char>(), [&](char*, int) { ++calls; });
    CHECK(calls == 0);
}

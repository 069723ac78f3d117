#include "core/ceil_divide.hpp"

#include <catch2/catch.hpp>

using namespace ventral::core;

TEST_CASE("a part that is not whole counts as one") {
    CHECK(ceil_divide(0, 4) == 0);
    CHECK(ceil_divide(1, 4) == 1);
    CHECK(ceil_divide(8, 4) == 2);
    CHECK(ceil_divide(9, 4) == 3);
}

TEST_CASE("a number is rounded up to a multiple, which stays") {
    CHECK(round_up(0, 8) == 0);
    CHECK(round_up(1, 8) == 8);
    CHECK(round_up(16, 8) == 16);
}

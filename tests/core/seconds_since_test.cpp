#include "core/seconds_since.hpp"

#include <catch2/catch.hpp>

using namespace ventral;

TEST_CASE("work is done once, within the time from before it") {
    int done = 0;
    const auto start = std::chrono::steady_clock::now();
    const double taken = core::seconds_taken([&] { ++done; });
    CHECK(done == 1);
    CHECK(taken >= 0);
    CHECK(taken <= core::seconds_since(start));
}

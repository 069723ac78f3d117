#include "leaderboard/hints.hpp"

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;

TEST_CASE("a ceiling above 1 and negative raw scores get one line per benchmark") {
    auto first = test::scored("k1", "m1", "b1");
    auto second = test::scored("k2", "m2", "b1");
    auto third = test::scored("k3", "m1", "b2");
    first.ceiling->value = second.ceiling->value = 1.25;
    second.raw_value = -0.125;
    third.raw_value = -0.25;
    first.raw_value = -0.5;
    const auto lines = leaderboard::hints({first, second, third});
    REQUIRE(lines.size() == 3);
    CHECK_THAT(lines[0], Catch::StartsWith("b1: the ceiling 1.2500 is above 1"));
    CHECK_THAT(lines[1], Catch::StartsWith("b1: 2 raw scores are negative, -0.5000 for model m1"));
    CHECK_THAT(lines[2], Catch::StartsWith("b2: 1 raw score is negative, -0.2500 for model m1"));
}

TEST_CASE("a ceiling that is not above 0 and scores above 1 get a line too") {
    auto low = test::scored("k1", "m1", "b1");
    low.ceiling->value = -2;
    auto high = test::scored("k2", "m1", "b2");
    high.value = 3.25;
    auto uncapped = test::scored("k3", "m1", "b3");  // its value is the raw one
    uncapped.value = 3.25;
    uncapped.ceiling = std::nullopt;
    const auto lines = leaderboard::hints({low, high, uncapped});
    REQUIRE(lines.size() == 2);
    CHECK_THAT(lines[0], Catch::StartsWith("b1: the ceiling -2.0000 is not above 0"));
    CHECK_THAT(lines[1], Catch::StartsWith("b2: 1 score is above 1, 3.2500 for model m1"));
}

TEST_CASE("ordinary and failed scores get no hint") {
    auto perfect = test::scored("k1", "m", "b");
    perfect.ceiling->value = 1;
    perfect.raw_value = 0;
    CHECK(leaderboard::hints({perfect, test::failed("k2", "m2", "b")}).empty());
}

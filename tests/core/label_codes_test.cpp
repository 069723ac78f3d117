#include "core/label_codes.hpp"

#include <limits>

#include <catch2/catch.hpp>

using namespace ventral::core;

TEST_CASE("equal labels get equal codes, in the order of the labels") {
    const auto numbers = label_codes(std::vector<std::int64_t>{30, -2, 30, 7});
    CHECK(numbers.codes == std::vector<std::size_t>{2, 0, 2, 1});
    CHECK(numbers.distinct == 3);
    // By code point: capitals before small letters, "10" before "9", "é" (U+E9) after all ASCII.
    const auto strings = label_codes(std::vector<std::string>{"s9", "S2", "é", "s10", "S2"});
    CHECK(strings.codes == std::vector<std::size_t>{2, 0, 3, 1, 0});
    CHECK(strings.distinct == 4);
}

TEST_CASE("missing numbers are one label, after all others") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto codes = label_codes(std::vector<double>{nan, 1e300, -nan, 0.0, -0.0});
    CHECK(codes.codes == std::vector<std::size_t>{2, 1, 2, 0, 0});
    CHECK(codes.distinct == 3);
}

TEST_CASE("no labels have no codes") {
    CHECK(label_codes(std::vector<std::string>{}).distinct == 0);
    CHECK(label_codes(std::vector<float>{}).codes.empty());
}

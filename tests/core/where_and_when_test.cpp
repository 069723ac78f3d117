#include "core/where_and_when.hpp"

#include <regex>

#include <catch2/catch.hpp>

using namespace ventral;

TEST_CASE("a time is a date of UTC that sorts as text") {
    const auto first = core::time_now();
    CHECK(std::regex_match(first, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)")));
    CHECK(first <= core::time_now());
}

TEST_CASE("a machine has a name") { CHECK_FALSE(core::host_name().empty()); }

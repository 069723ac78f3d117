#include "core/text.hpp"

#include <set>
#include <vector>

#include <catch2/catch.hpp>

using namespace ventral::core;

TEST_CASE("names are listed in the order of their container") {
    CHECK(listed(std::vector<std::string>{"b", "a"}) == "b, a");
    CHECK(listed(std::set<std::string>{"b", "a"}) == "a, b");
    CHECK(listed(std::vector<std::string>{"alone"}) == "alone");
    CHECK(listed(std::vector<std::string>{}).empty());
}

TEST_CASE("letters beyond ASCII stay as they are in lower case") {
    CHECK(lower_case("GiB \u00c4") == "gib \u00c4");
}

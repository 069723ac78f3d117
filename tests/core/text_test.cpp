#include "core/text.hpp"

#include <set>
#include <vector>

#include <catch2/catch.hpp>

using namespace ventral::core;

TEST_CASE("names are listed in the order of their container") {
    CHECK(joined(std::vector<std::string>{"b", "a"}) == "b, a");
    CHECK(joined(std::set<std::string>{"b", "a"}) == "a, b");
    CHECK(joined(std::vector<std::string>{"alone"}) == "alone");
    CHECK(joined(std::vector<std::string>{}).empty());
    CHECK(joined(std::vector<std::string>{"b", "a"}, " + ") == "b + a");
}

TEST_CASE("of many names the first are listed, and that there are more") {
    const std::vector<std::string> names = {"c", "a", "b"};
    CHECK(joined_first(names, 2) == "c, a, …");
    CHECK(joined_first(names, 3) == "c, a, b");
    CHECK(joined_first({}, 2).empty());
}

TEST_CASE("parts are separated from what stands before them") {
    std::string text;
    add_part(text, "a");
    CHECK(text == "a");
    add_part(text, "b", "; ");
    CHECK(text == "a; b");
}

TEST_CASE("letters beyond ASCII stay as they are in lower case") {
    CHECK(lower_case("GiB \u00c4") == "gib \u00c4");
}

#include "core/add_once.hpp"

#include <string>

#include <catch2/catch.hpp>

TEST_CASE("a list keeps the first of equal values, in order of appearance") {
    std::vector<std::string> list;
    for (const std::string value : {"b", "a", "b", "c", "a"}) ventral::core::add_once(list, value);
    CHECK(list == std::vector<std::string>{"b", "a", "c"});
}

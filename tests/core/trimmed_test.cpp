#include "core/trimmed.hpp"

#include <catch2/catch.hpp>

using ventral::core::trimmed;

TEST_CASE("white space is taken from both ends, not from within") {
    CHECK(trimmed("\n\t two words \r\n") == "two words");
    CHECK(trimmed("as it is") == "as it is");
    CHECK(trimmed(" \n").empty());
    CHECK(trimmed("").empty());
}

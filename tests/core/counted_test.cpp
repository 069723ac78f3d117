#include "core/counted.hpp"

#include <catch2/catch.hpp>

using ventral::core::counted;

TEST_CASE("one thing is counted without an s") {
    CHECK(counted(0, "unit") == "0 units");
    CHECK(counted(1, "unit") == "1 unit");
    CHECK(counted(12, "unit") == "12 units");
}

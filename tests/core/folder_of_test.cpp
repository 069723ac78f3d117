#include "core/folder_of.hpp"

#include <catch2/catch.hpp>

using ventral::core::folder_of;

TEST_CASE("a path without folders lies in the working one") {
    CHECK(folder_of("a/b.nc") == "a");
    CHECK(folder_of("/b.nc") == "/");
    CHECK(folder_of("b.nc") == ".");
}

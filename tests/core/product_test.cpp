#include "core/product.hpp"

#include <cstddef>

#include <catch2/catch.hpp>

using ventral::core::product;

TEST_CASE("the product of sizes is 1 of none") {
    CHECK(product(std::vector<std::size_t>{}) == 1);
    CHECK(product(std::vector<std::size_t>{3, 1, 4}) == 12);
    CHECK(product(std::vector<std::size_t>{3, 0, 4}) == 0);
}

#include "stats/gram_block.hpp"

#include <algorithm>
#include <new>

#include <catch2/catch.hpp>

using namespace ventral::stats;

TEST_CASE("memory for a Gram is zero and large enough to build one in") {
    // Rows (1, 2) and (3, 6): centred (-1, -2) and (1, 2).
    const std::vector<double> x = {1, 2, 3, 6};
    const FeatureMatrix features = {std::span<const double>(x), 2, 2, 2};
    const GramBlock block(2, 2);
    const auto kernel = block.memory().kernel;
    REQUIRE(kernel.size() == 4);
    CHECK(std::all_of(kernel.begin(), kernel.end(), [](double value) { return value == 0; }));
    ventral::core::Workers workers(2);
    build_gram(
        2, 2,
        [&](std::size_t first, std::size_t count) { return columns_of(features, first, count); },
        block.memory(), workers, {});
    CHECK(std::vector<double>(kernel.begin(), kernel.end()) == std::vector<double>{5, -5, -5, 5});
}

TEST_CASE("memory that the machine does not have is an exception") {
    CHECK_THROWS_AS(GramBlock(std::size_t{1} << 29, 1), std::bad_alloc);
}

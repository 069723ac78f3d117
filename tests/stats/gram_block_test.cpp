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

TEST_CASE("what a Gram is stays when the memory of its panels is given back") {
    const std::size_t rows = 100;
    const std::vector<double> x(rows * 50, 1.0);
    const FeatureMatrix features = {std::span<const double>(x), rows, 50, 50};
    GramBlock block(rows, 50);
    ventral::core::Workers workers(1);
    build_gram(
        rows, 50,
        [&](std::size_t first, std::size_t count) { return columns_of(features, first, count); },
        block.memory(), workers, {});
    block.drop_scratch();
    const auto& memory = block.memory();
    CHECK(memory.panels[0].empty());
    CHECK(memory.kernel.size() == rows * rows);
    CHECK(memory.kernel[rows * rows - 1] == 0);
    CHECK(memory.row_sums[rows - 1] == 50);
    CHECK(memory.mean_squared[0] == 50);
}

TEST_CASE("memory that the machine does not have is an exception") {
    CHECK_THROWS_AS(GramBlock(std::size_t{1} << 29, 1), std::bad_alloc);
}

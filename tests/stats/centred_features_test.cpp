#include "stats/gram/centred_features.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace ventral::stats;

TEST_CASE("a slab is centred by the means over all rows") {
    // Column means: (1 + 3 + 8) / 3 = 4 and (0 + 6 + 3) / 3 = 3.
    const std::vector<float> values = {1, 0, 3, 6, 8, 3};
    const FeatureMatrix slab = {std::span<const float>(values), 3, 2, 2};
    std::vector<double> means(2);
    std::vector<double> centred(6);
    centre_block(slab, 0, {centred, 2, means});
    CHECK(means == std::vector<double>{4, 3});
    CHECK(centred == std::vector<double>{-3, -3, -1, 3, 4, 0});
}

TEST_CASE("a constant feature is exactly zero, whatever its value") {
    const std::vector<double> values(7, 0.1);
    const FeatureMatrix slab = {std::span<const double>(values), 7, 1, 1};
    std::vector<double> means(1);
    std::vector<double> centred(7, 1.0);
    centre_block(slab, 0, {centred, 1, means});
    CHECK(means[0] == 0.1);
    CHECK(centred == std::vector<double>(7, 0.0));
}

TEST_CASE("columns of a wider matrix are centred block by block into a matrix of their own") {
    // Two rows, 600 of 610 columns: entry (i, j) is i + j, the means are j + 1/2.
    std::vector<double> values(2 * 610);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 610; ++j) values[i * 610 + j] = static_cast<double>(i + j);
    const FeatureMatrix slab = {std::span<const double>(values), 2, 600, 610};
    std::vector<double> means(600);
    std::vector<double> centred(1200);
    REQUIRE(centred_blocks(600) == 5);
    for (std::size_t block = 0; block < 5; ++block)
        centre_block(slab, block, {centred, 600, means});
    for (std::size_t j = 0; j < 600; ++j) {
        CHECK(means[j] == static_cast<double>(j) + 0.5);
        CHECK(centred[j] == -0.5);
        CHECK(centred[600 + j] == 0.5);
    }
}

TEST_CASE("rows may be centred further apart, and what is between stays") {
    const std::vector<float> values = {1, 0, 3, 6};
    const FeatureMatrix slab = {std::span<const float>(values), 2, 2, 2};
    std::vector<double> means(2);
    std::vector<double> centred(6, 7.0);
    centre_block(slab, 0, {centred, 3, means});
    CHECK(centred == std::vector<double>{-1, -3, 7, 1, 3, 7});
}

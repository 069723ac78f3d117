#include "stats/gram/matrix_slabs.hpp"

#include <catch2/catch.hpp>

#include "stats/small_problems.hpp"

using namespace ventral::stats;

TEST_CASE("a slab holds the columns asked for, row by row") {
    const Matrix matrix = ventral::test::random_matrix(5, 40, 1);
    const ReadSlab read = slabs_of_columns(matrix);
    for (const auto& [first, count] :
         {std::pair<std::size_t, std::size_t>{0, 40}, {3, 8}, {21, 19}}) {
        const FeatureMatrix slab = read(first, count);
        CHECK(slab.rows == 5);
        CHECK(slab.features == count);
        const auto values = std::get<std::span<const double>>(slab.values);
        for (std::size_t i = 0; i < 5; ++i)
            for (std::size_t j = 0; j < count; ++j)
                CHECK(values[i * slab.stride + j] ==
                      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(first + j)));
    }
}

TEST_CASE("a slab may hold some rows only, in the order asked for") {
    const Matrix matrix = ventral::test::random_matrix(5, 40, 2);
    const ReadSlab read = slabs_of_columns(matrix, {4, 1});
    const FeatureMatrix slab = read(3, 11);
    CHECK(slab.rows == 2);
    CHECK(slab.features == 11);
    const auto values = std::get<std::span<const double>>(slab.values);
    for (std::size_t j = 0; j < 11; ++j) {
        CHECK(values[j] == matrix(4, static_cast<Eigen::Index>(3 + j)));
        CHECK(values[slab.stride + j] == matrix(1, static_cast<Eigen::Index>(3 + j)));
    }
}

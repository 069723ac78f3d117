#include "stats/linear_algebra/matrix.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::test::random_matrix;

TEST_CASE("sum and dot take all values, however many there are") {
    std::vector<double> values;
    for (std::size_t n = 0; n <= 40; ++n) {
        const auto count = static_cast<double>(n);
        CHECK(sum(values) == count * (count + 1) / 2);
        CHECK(dot(values, values) == count * (count + 1) * (2 * count + 1) / 6);
        values.push_back(count + 1);
    }
}

TEST_CASE("sum adds in the order of NumPy's pairwise summation") {
    // np.sum(1 / np.arange(1, 129.)), whose blocks of 128 are added in eight lanes too.
    std::vector<double> reciprocals;
    for (int i = 1; i <= 128; ++i) reciprocals.push_back(1.0 / i);
    CHECK(sum(reciprocals) == 5.433147092589173);
}

TEST_CASE("sum and dot have the same bits at every address") {
    const Matrix values = random_matrix(1003, 2, 1);
    const auto a = column(values, 0);
    const auto b = column(values, 1);
    const double expected_sum = sum(a);
    const double expected_dot = dot(a, b);
    for (std::size_t shift = 1; shift <= 8; ++shift) {
        std::vector<double> moved(shift, 0.0);
        moved.insert(moved.end(), a.begin(), a.end());
        const auto same = std::span<const double>(moved).subspan(shift);
        CHECK(sum(same) == expected_sum);
        CHECK(dot(same, b) == expected_dot);
    }
}

TEST_CASE("what is missing or infinite is not lost in a sum") {
    std::vector<double> values(20, 1.0);
    values[11] = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(sum(values)));
    CHECK(std::isnan(dot(values, values)));
    values[11] = -std::numeric_limits<double>::infinity();
    CHECK(sum(values) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("a column and a vector can be read as spans without a copy") {
    const Matrix matrix = random_matrix(3, 2, 2);
    CHECK(column(matrix, 1).data() == matrix.data() + 3);
    CHECK(column(matrix, 1).size() == 3);
    const Vector vector = matrix.col(0);
    CHECK(as_span(vector).data() == vector.data());
    CHECK(as_span(vector).size() == 3);
}

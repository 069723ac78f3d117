#include "stats/linear_algebra/tiled_cholesky.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::largest_difference;
using ventral::test::plain_gram;
using ventral::test::random_matrix;
using ventral::test::same_bits;

namespace {

/// Of three tiles.
constexpr Eigen::Index rows = 600;

Matrix definite(Eigen::Index size) {
    Matrix matrix = plain_gram(random_matrix(size, size, 1)) / static_cast<double>(size);
    matrix.diagonal().array() += 0.5;
    return matrix;
}

Matrix solution(Matrix a, Matrix b, std::size_t threads) {
    Workers workers(threads);
    REQUIRE(factorise_in_tiles(a, workers));
    solve_factorised(a, b, workers);
    return b;
}

}  // namespace

TEST_CASE("a factor worked out by hand") {
    // [4 2; 2 10] = L Lᵀ with L = [2 0; 1 3].
    Matrix a(2, 2);
    a << 4, 2, 2, 10;
    Workers workers(1);
    REQUIRE(factorise_in_tiles(a, workers));
    CHECK(a(0, 0) == 2);
    CHECK(a(1, 0) == 1);
    CHECK(a(1, 1) == 3);
}

TEST_CASE("solutions solve, whatever is above the diagonal") {
    const Matrix a = definite(rows);
    const Matrix b = random_matrix(rows, 150, 2);
    Matrix lower = a;
    lower.triangularView<Eigen::StrictlyUpper>().setConstant(
        std::numeric_limits<double>::quiet_NaN());
    CHECK(largest_difference(a * solution(lower, b, 2), b) < 1e-11);
}

TEST_CASE("a column that is not a number is an error: its neighbours would not be solved for") {
    Matrix a = definite(rows);
    Matrix b = random_matrix(rows, 150, 2);
    b(3, 100) = std::numeric_limits<double>::quiet_NaN();
    Workers workers(2);
    REQUIRE(factorise_in_tiles(a, workers));
    CHECK_THROWS_AS(solve_factorised(a, b, workers), ventral::core::InputError);
}

TEST_CASE("rows below the symmetric part are solved for") {
    const Matrix a = definite(rows);
    const Matrix b = random_matrix(300, rows, 2);
    Matrix both(rows + 300, rows);
    both << a, b;
    Workers workers(2);
    REQUIRE(factorise_in_tiles(both, workers));
    const Matrix factor = both.topRows(rows).triangularView<Eigen::Lower>();
    CHECK(largest_difference(factor * factor.transpose(), a) < 1e-11);
    CHECK(largest_difference(both.bottomRows(300) * factor.transpose(), b) < 1e-11);
}

TEST_CASE("the number of workers changes no bit") {
    const Matrix a = definite(rows);
    const Matrix b = random_matrix(rows, 150, 2);
    const Matrix expected = solution(a, b, 1);
    for (const std::size_t threads : {2U, 5U}) CHECK(same_bits(solution(a, b, threads), expected));
}

TEST_CASE("a matrix that is not positive definite has no factor") {
    Workers workers(2);
    for (const Eigen::Index row : {Eigen::Index{0}, Eigen::Index{300}, rows - 1}) {
        Matrix a = definite(rows);
        a(row, row) = -1;
        CHECK(!factorise_in_tiles(a, workers));
        a(row, row) = std::numeric_limits<double>::quiet_NaN();
        CHECK(!factorise_in_tiles(a, workers));
    }
}

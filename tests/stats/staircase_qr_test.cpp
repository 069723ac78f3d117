#include "stats/linear_algebra/staircase_qr.hpp"

#include <catch2/catch.hpp>

#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::test::largest_difference;
using ventral::test::random_matrix;

namespace {

/// Random entries above the stairs.
Matrix staircase(Eigen::Index rows, const std::vector<Eigen::Index>& heights, std::uint64_t seed) {
    Matrix a = random_matrix(rows, static_cast<Eigen::Index>(heights.size()), seed);
    for (Eigen::Index j = 0; j < a.cols(); ++j)
        a.col(j).tail(rows - heights[static_cast<std::size_t>(j)]).setZero();
    return a;
}

void check_factors(const Matrix& a, const std::vector<Eigen::Index>& heights) {
    const StaircaseQr qr(a, heights);
    const Matrix r = qr.triangle();
    CHECK(Matrix(r.triangularView<Eigen::StrictlyLower>()) == Matrix::Zero(a.cols(), a.cols()));
    // Qᵀ A = [R; 0], and Q of that is A again.
    Matrix turned = a;
    qr.apply_transposed(turned);
    CHECK(largest_difference(turned.topRows(a.cols()), r) < 1e-12);
    const Matrix below = turned.bottomRows(a.rows() - a.cols());
    CHECK((below.array().abs() < 1e-12).all());
    turned.bottomRows(a.rows() - a.cols()).setZero();
    turned.topRows(a.cols()) = r;
    qr.apply(turned);
    CHECK(largest_difference(turned, a) < 1e-12);
}

}  // namespace

TEST_CASE("one column becomes its length") {
    Matrix a(3, 1);
    a << 3, 4, 0;
    CHECK(std::abs(StaircaseQr(a, {2}).triangle()(0, 0)) == Approx(5).epsilon(1e-15));
}

TEST_CASE("full matrices are factorised") {
    check_factors(random_matrix(7, 5, 1), std::vector<Eigen::Index>(5, 7));
    // Three panels, and more columns than are reflected at a time.
    check_factors(random_matrix(400, 330, 2), std::vector<Eigen::Index>(330, 400));
    check_factors(random_matrix(64, 64, 3), std::vector<Eigen::Index>(64, 64));
}

TEST_CASE("staircases are factorised") {
    std::vector<Eigen::Index> heights;
    for (Eigen::Index j = 0; j < 150; ++j) heights.push_back(j + 2 + j / 10);
    check_factors(staircase(170, heights, 4), heights);
}

TEST_CASE("products are those of one orthogonal matrix") {
    const std::vector<Eigen::Index> heights = {3, 3, 6, 9};
    const StaircaseQr qr(staircase(9, heights, 5), heights);
    Matrix q = Matrix::Identity(9, 9);
    qr.apply(q);
    CHECK(largest_difference(q.transpose() * q, Matrix::Identity(9, 9)) < 1e-14);
    Matrix back = q;
    qr.apply_transposed(back);
    CHECK(largest_difference(back, Matrix::Identity(9, 9)) < 1e-14);
}

#include "stats/linear_algebra/packed_symmetric.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "stats/register_widths.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::test::largest_difference;
using ventral::test::random_matrix;
using ventral::test::same_bits;

namespace {

/// Sums of fewer than 1000 products of numbers below 1 in any order.
constexpr double rounding = 1e-12;

Matrix symmetric(Eigen::Index n) {
    const Matrix a = random_matrix(n, n, 3);
    return a + a.transpose();
}

/// In two parts, with something else above the diagonal.
PackedSymmetric packed(const Matrix& a) {
    Matrix lower = a;
    lower.triangularView<Eigen::StrictlyUpper>().setConstant(
        std::numeric_limits<double>::quiet_NaN());
    PackedSymmetric of(a.rows());
    const Eigen::Index middle = a.rows() / 2;
    of.set_columns(0, lower.leftCols(middle));
    of.set_columns(middle, lower.bottomRightCorner(a.rows() - middle, a.rows() - middle));
    return of;
}

Vector product(const PackedSymmetric& a, const Vector& x, VectorWidth width = vector_width()) {
    auto from = a.make_vector();
    auto to = a.make_vector();
    std::copy_n(x.data(), x.size(), from.data());
    a.multiply(from, to, width);
    for (std::size_t i = static_cast<std::size_t>(x.size()); i < to.size(); ++i)
        CHECK(to.data()[i] == 0.0);
    return Eigen::Map<const Vector>(to.data(), x.size());
}

}  // namespace

TEST_CASE("a packed matrix is the one that was given, by its lower triangle") {
    for (const Eigen::Index n : {1, 2, 7, 8, 9, 16, 21, 168}) {
        INFO(n << " rows");
        const Matrix a = symmetric(n);
        const auto found = packed(a);
        REQUIRE(found.size() == n);
        for (Eigen::Index j = 0; j < n; ++j)
            for (Eigen::Index i = j; i < n; ++i) CHECK(found(i, j) == a(i, j));
        const Vector x = random_matrix(n, 1, 4);
        CHECK(largest_difference(product(found, x), a * x) < rounding);
        CHECK(found.trace() == Approx(a.trace()).epsilon(1e-13));
    }
}

TEST_CASE("products of a packed matrix have the same bits with either width of registers") {
    if (!ventral::test::has_both_widths()) return;
    for (const Eigen::Index n : {1, 7, 8, 9, 16, 21, 168, 300}) {
        const auto a = packed(symmetric(n));
        const Vector x = random_matrix(n, 1, 4);
        CHECK(same_bits(Matrix(product(a, x, VectorWidth::avx512)),
                        Matrix(product(a, x, VectorWidth::avx2))));
    }
}

TEST_CASE("a row and its column are cleared") {
    Matrix a = symmetric(21);
    auto found = packed(a);
    for (const Eigen::Index i : {0, 10, 20}) {
        found.clear_row_and_column(i);
        a.row(i).setZero();
        a.col(i).setZero();
    }
    const Vector x = random_matrix(21, 1, 4);
    CHECK(largest_difference(product(found, x), a * x) < rounding);
    CHECK(product(found, x)(10) == 0.0);
}

TEST_CASE("an update is one of rank two") {
    const Matrix a = symmetric(21);
    const Vector s = random_matrix(21, 1, 5);
    const Vector q = random_matrix(21, 1, 6);
    auto found = packed(a);
    found.update(s, q, 0.7);
    const Matrix expected = a + 0.7 * s * s.transpose() - q * s.transpose() - s * q.transpose();
    for (Eigen::Index j = 0; j < 21; ++j)
        for (Eigen::Index i = j; i < 21; ++i)
            CHECK(found(i, j) == Approx(expected(i, j)).margin(1e-14));
    const Vector x = random_matrix(21, 1, 4);
    CHECK(largest_difference(product(found, x), expected * x) < rounding);
}

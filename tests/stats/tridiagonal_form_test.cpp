#include "stats/linear_algebra/tridiagonal_form.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::largest_difference;
using ventral::test::plain_gram;
using ventral::test::random_matrix;
using ventral::test::same_bits;

namespace {

/// Of several panels and blocks.
constexpr Eigen::Index size = 700;

Matrix symmetric(Eigen::Index rows) {
    return plain_gram(random_matrix(rows, rows, 1)) / static_cast<double>(rows);
}

struct Found {
    Matrix reflectors;
    TridiagonalForm form;
};

Found found(Matrix a, std::size_t threads = 1) {
    Workers workers(threads);
    auto form = tridiagonal_form(a, workers);
    return {std::move(a), std::move(form)};
}

/// Q T Qᵀ, reflector by reflector.
Matrix product(const Found& found) {
    const Eigen::Index n = found.reflectors.rows();
    Matrix result = Matrix::Zero(n, n);
    result.diagonal() = found.form.diagonal;
    result.diagonal(1) = found.form.off_diagonal;
    result.diagonal(-1) = found.form.off_diagonal;
    for (Eigen::Index i = n - 1; i-- > 0;) {
        Vector v = Vector::Zero(n);
        v(i + 1) = 1;
        v.tail(n - i - 2) = found.reflectors.col(i).tail(n - i - 2);
        const Vector scaled = found.form.scales(i) * v;
        result -= scaled * (v.transpose() * result).eval();
        result -= (result * v).eval() * scaled.transpose();
    }
    return result;
}

}  // namespace

TEST_CASE("a tridiagonal form worked out by hand") {
    // The reflector that takes (3, 4) to (-5, 0) is I - v vᵀ 8 / 5 with v = (1, 1/2). In its basis
    // e1 = -(3, 4) / 5 and e2 = (-4, 3) / 5 the lower square [2 1; 1 3] is
    // [(2 9 + 2 12 + 3 16) / 25, (2 12 - 9 + 16 - 3 12) / 25; ., (2 16 - 2 12 + 3 9) / 25].
    Matrix a(3, 3);
    a << 1, 3, 4, 3, 2, 1, 4, 1, 3;
    const auto [reflectors, form] = found(a);
    CHECK(form.diagonal(0) == Approx(1).epsilon(1e-15));
    CHECK(form.off_diagonal(0) == Approx(-5).epsilon(1e-15));
    CHECK(form.scales(0) == Approx(1.6).epsilon(1e-15));
    CHECK(reflectors(2, 0) == Approx(0.5).epsilon(1e-15));
    CHECK(form.diagonal(1) == Approx(90.0 / 25).epsilon(1e-14));
    CHECK(form.diagonal(2) == Approx(35.0 / 25).epsilon(1e-14));
    CHECK(std::abs(form.off_diagonal(1)) == Approx(5.0 / 25).epsilon(1e-14));
}

TEST_CASE("a number is a tridiagonal form of itself") {
    const auto [reflectors, form] = found(Matrix::Constant(1, 1, 7));
    CHECK(form.diagonal(0) == 7);
    CHECK(form.off_diagonal.size() == 0);
}

TEST_CASE("the form and its reflectors give the matrix, of which the lower triangle is read") {
    for (const Eigen::Index rows : {Eigen::Index{2}, Eigen::Index{33}, size}) {
        const Matrix a = symmetric(rows);
        Matrix lower = a;
        lower.triangularView<Eigen::StrictlyUpper>().setConstant(1e300);
        // n eps of the largest entry, which is 1 here, with room.
        CHECK(largest_difference(product(found(lower)), a) < 1e-12);
    }
}

TEST_CASE("the form has the same bits on any number of workers") {
    const auto one = found(symmetric(size), 1);
    const auto four = found(symmetric(size), 4);
    CHECK(same_bits(one.form.diagonal, four.form.diagonal));
    CHECK(same_bits(one.form.off_diagonal, four.form.off_diagonal));
    CHECK(same_bits(one.form.scales, four.form.scales));
    CHECK(one.reflectors.triangularView<Eigen::StrictlyLower>().toDenseMatrix() ==
          four.reflectors.triangularView<Eigen::StrictlyLower>().toDenseMatrix());
}

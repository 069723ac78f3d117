#include "stats/linear_algebra/linear_algebra.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::test::largest_difference;
using ventral::test::random_matrix;
using ventral::test::same_bits;

namespace {

/// Sums of fewer than 1000 products of numbers below 1 in any order.
constexpr double rounding = 1e-12;

Matrix two_by_two(double a, double b, double c, double d) {
    Matrix m(2, 2);
    m << a, b, c, d;
    return m;
}

}  // namespace

TEST_CASE("products worked out by hand") {
    const Matrix a = two_by_two(1, 2, 3, 4);
    const Matrix b = two_by_two(5, 6, 7, 8);
    CHECK(multiply(a, b) == two_by_two(19, 22, 43, 50));
    CHECK(multiply_transposed(a, b) == two_by_two(26, 30, 38, 44));
    CHECK(times(a, Vector::Constant(2, 2.0)) == Vector(a.rowwise().sum() * 2));
    CHECK(transposed_times(a, Vector::Constant(2, 2.0)) == Vector(a.colwise().sum() * 2));
}

TEST_CASE("a matrix times its transpose times a vector is the two products") {
    for (const Eigen::Index columns : {1, 4, 7}) {  // alone, a group of four, and a rest
        const Matrix a = random_matrix(9, columns, 1);
        const Vector x = random_matrix(9, 1, 2).col(0);
        CHECK(largest_difference(gram_times(a, x), a * (a.transpose() * x)) < rounding);
    }
}

TEST_CASE("a vector is found that is orthogonal to all columns") {
    Matrix a = random_matrix(20, 7, 3);
    a.col(4) = a.col(1);
    a.col(5).setZero();
    a.col(6) *= 1e-9;
    const Vector v = orthogonal_vector(a);
    CHECK(v.norm() == Approx(1));
    CHECK(largest_difference(a.transpose() * v, Vector::Zero(7)) < 1e-14);
    const Vector last = orthogonal_vector(random_matrix(8, 7, 4));  // there is only one
    CHECK(last.norm() == Approx(1));
}

TEST_CASE("parts of matrices can be multiplied") {
    const Matrix a = random_matrix(9, 7, 1);
    const Matrix b = random_matrix(8, 6, 2);
    CHECK(largest_difference(multiply(a.block(2, 1, 4, 5), b.block(3, 2, 5, 3)),
                             a.block(2, 1, 4, 5) * b.block(3, 2, 5, 3)) < rounding);
    CHECK(largest_difference(multiply_transposed(a.block(2, 1, 4, 5), b.block(3, 2, 4, 3)),
                             a.block(2, 1, 4, 5).transpose() * b.block(3, 2, 4, 3)) < rounding);
}

TEST_CASE("products over nothing are zero") {
    CHECK(multiply(Matrix(2, 0), Matrix(0, 3)) == Matrix::Zero(2, 3));
    CHECK(multiply_transposed(Matrix(0, 2), Matrix(0, 3)) == Matrix::Zero(2, 3));
    CHECK(multiply(Matrix(0, 2), Matrix(2, 3)).rows() == 0);
    CHECK(multiply(Matrix(2, 2), Matrix(2, 0)).cols() == 0);
}

TEST_CASE(
    "the columns of a matrix times few vectors are the product, over more rows than a piece") {
    const Matrix a = random_matrix(301, 600, 3);
    const Matrix b = random_matrix(301, 5, 4);
    Matrix out = Matrix::Zero(600, 5);
    dot_columns(a, b, 0, 600, out);
    CHECK(largest_difference(out, a.transpose() * b) < rounding);
}

TEST_CASE("a matrix times few vectors has the same bits in pieces and for each vector alone") {
    const Matrix a = random_matrix(301, 600, 3);
    const Matrix b = random_matrix(301, 5, 4);
    Matrix whole = Matrix::Zero(600, 5);
    dot_columns(a, b, 0, 600, whole);
    Matrix pieces = Matrix::Zero(600, 5);
    dot_columns(a, b, 0, 17, pieces);
    dot_columns(a, b, 17, 400, pieces);
    dot_columns(a, b, 417, 183, pieces);
    CHECK(same_bits(pieces, whole));
    Matrix alone = Matrix::Zero(600, 1);
    dot_columns(a, b.col(3), 0, 600, alone);
    CHECK(same_bits(alone, Matrix(whole.col(3))));
    CHECK(whole(599, 3) == dot(column(a, 599), column(b, 3)));
    CHECK(whole(0, 4) == dot(column(a, 0), column(b, 4)));
}

TEST_CASE("columns that are not asked for are left alone") {
    const Matrix a = random_matrix(3, 6, 5);
    Matrix out = Matrix::Constant(6, 1, 7.0);
    dot_columns(a, Matrix::Ones(3, 1), 2, 2, out);
    CHECK(out(1, 0) == 7.0);
    CHECK(out(2, 0) == Approx(a.col(2).sum()));
    CHECK(out(4, 0) == 7.0);
}

TEST_CASE("more than eight vectors at once are our own mistake") {
    const Matrix a = random_matrix(4, 4, 6);
    Matrix out(4, 9);
    CHECK_THROWS_AS(dot_columns(a, Matrix::Ones(4, 9), 0, 4, out), std::invalid_argument);
}

TEST_CASE("a positive definite system is solved") {
    // 4 x + 2 y = 8 and 2 x + 3 y = 8 have x = 1, y = 2; only the lower triangle is read.
    Matrix a = two_by_two(4, 99, 2, 3);
    Matrix b(2, 1);
    b << 8, 8;
    REQUIRE(solve_positive_definite(a, b));
    CHECK(b(0, 0) == Approx(1).epsilon(1e-15));
    CHECK(b(1, 0) == Approx(2).epsilon(1e-15));
}

TEST_CASE("more right hand sides than a block are all solved") {
    const Matrix root = random_matrix(12, 12, 7);
    const Matrix a = root * root.transpose() + Matrix::Identity(12, 12);
    const Matrix b = random_matrix(12, 1030, 8);
    Matrix factor = a;
    Matrix solution = b;
    REQUIRE(solve_positive_definite(factor, solution));
    CHECK(largest_difference(a * solution, b) < rounding);
}

TEST_CASE("a system that is not positive definite has no solution") {
    Matrix b = Matrix::Ones(2, 1);
    Matrix indefinite = two_by_two(1, 2, 2, 1);
    CHECK(!solve_positive_definite(indefinite, b));
    Matrix missing = two_by_two(std::numeric_limits<double>::quiet_NaN(), 0, 0, 1);
    CHECK(!solve_positive_definite(missing, b));
}

TEST_CASE("a pivot that is rounding beside its diagonal entry is lost") {
    // Factors of (4 2; 2 1 + d): the second pivot is d, and 2 eps is the limit. Small entries as
    // such are no matter.
    const auto factor = [](double d) { return two_by_two(2, 0, 1, std::sqrt(d)); };
    CHECK(has_lost_pivot(factor(0), Vector::Constant(2, 1.0)));
    CHECK(has_lost_pivot(factor(0x1p-52), Vector::Constant(2, 1.0)));
    CHECK(!has_lost_pivot(factor(0x1p-50), Vector::Constant(2, 1.0)));
    CHECK(!has_lost_pivot(two_by_two(1e10, 0, 0, 1e-10), (Vector(2) << 1e20, 1e-20).finished()));
    CHECK(has_lost_pivot(factor(std::numeric_limits<double>::quiet_NaN()), Vector::Ones(2)));
    CHECK(rounding_of(two_by_two(3, 0, 0, 8)) == 16 * 0x1p-52);
}

TEST_CASE("the pseudo-inverse fulfils the conditions of Penrose") {
    for (const auto& a : {random_matrix(5, 3, 9), random_matrix(3, 5, 10)}) {
        const Matrix inverse = pseudo_inverse(a, 1e-12);
        CHECK(largest_difference(a * inverse * a, a) < rounding);
        CHECK(largest_difference(inverse * a * inverse, inverse) < rounding);
        CHECK(largest_difference(a * inverse, (a * inverse).transpose()) < rounding);
        CHECK(largest_difference(inverse * a, (inverse * a).transpose()) < rounding);
    }
}

TEST_CASE("the pseudo-inverse of a ridge is that of its normal equations") {
    const Matrix a = random_matrix(5, 3, 9);
    const Matrix normal = a.transpose() * a + 0.5 * Matrix::Identity(3, 3);
    CHECK(largest_difference(normal * pseudo_inverse(a, 1e-12, 0.5), a.transpose()) < rounding);
}

TEST_CASE("small singular values count as zero in the pseudo-inverse") {
    CHECK(largest_difference(pseudo_inverse(two_by_two(2, 0, 0, 1e-9), 1e-6),
                             two_by_two(0.5, 0, 0, 0)) < 1e-15);
    CHECK(pseudo_inverse(two_by_two(2, 0, 0, 1e-9), 1e-12)(1, 1) == Approx(1e9));
    CHECK(pseudo_inverse(Matrix::Zero(2, 2), 1e-12) == Matrix::Zero(2, 2));
}

TEST_CASE("limiting the BLAS to one thread leaves its products as they are") {
    const Matrix a = random_matrix(200, 200, 11);
    const Matrix before = multiply(a, a);
    use_one_blas_thread();
    CHECK(same_bits(multiply(a, a), before));
}

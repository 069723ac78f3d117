#include "stats/linear_algebra/symmetric_product.hpp"

#include <cmath>
#include <vector>

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

/// Not symmetric above the diagonal: nothing reads that.
Matrix lower_of(Eigen::Index n) { return random_matrix(n, n, 3); }

Matrix product(const Matrix& a, const Matrix& b, VectorWidth width) {
    Matrix out = Matrix::Zero(a.rows(), b.cols());
    add_symmetric_part(a, b, {0, a.cols()}, out, width);
    return out;
}

}  // namespace

TEST_CASE("a symmetric matrix is read from its lower triangle") {
    // (2 1; 1 3) · (1, 2) = (4, 7), whatever stands above the diagonal.
    CHECK(symmetric_times((Matrix(2, 2) << 2, 99, 1, 3).finished(),
                          (Vector(2) << 1, 2).finished()) == (Vector(2) << 4, 7).finished());
}

TEST_CASE("products with symmetric matrices add up from their parts") {
    for (const Eigen::Index n : {1, 3, 4, 9, 300, 521}) {
        INFO(n << " rows");
        Matrix a = random_matrix(n, n, 3);
        a = (a + a.transpose()).eval();
        const Matrix b = random_matrix(n, 5, 4);
        Matrix whole = Matrix::Zero(n, 5);
        add_symmetric_part(a, b, {0, n}, whole);
        CHECK(largest_difference(whole, a * b) < rounding);
        const Eigen::Index middle = n / 2;
        Matrix parts = Matrix::Zero(n, 5);
        add_symmetric_part(a, b, {middle, n - middle}, parts);
        CHECK(parts.topRows(middle) == Matrix::Zero(middle, 5));
        add_symmetric_part(a, b, {0, middle}, parts);
        CHECK(largest_difference(parts, a * b) < rounding);
    }
}

TEST_CASE("a product with a symmetric matrix has the same bits among any number of others") {
    const Matrix root = random_matrix(300, 20, 3);
    const Matrix a = root * root.transpose();
    const Matrix b = random_matrix(300, 11, 4);
    Matrix together = Matrix::Zero(300, 11);
    add_symmetric_part(a, b, {0, 300}, together);
    for (Eigen::Index j = 0; j < 11; ++j) {
        Matrix alone = Matrix::Zero(300, 1);
        add_symmetric_part(a, b.col(j), {0, 300}, alone);
        CHECK(same_bits(alone, Matrix(together.col(j))));
    }
}

TEST_CASE("the bits of products with symmetric matrices do not depend on the address") {
    Matrix a = random_matrix(37, 37, 5);
    const Vector x = random_matrix(37, 1, 6);
    const Vector expected = symmetric_times(a, x);
    std::vector<double> shifted(static_cast<std::size_t>(a.size()) + 1);
    std::copy_n(a.data(), a.size(), shifted.begin() + 1);
    const ventral::stats::MatrixView moved(shifted.data() + 1, 37, 37);
    CHECK(same_bits(symmetric_times(moved, x), expected));
}

TEST_CASE("a product that fills no panel is added up fused, a column after the other") {
    // (2 1 4; 1 3 5; 4 5 6) · x: each sum is one of products that are fused with their addition.
    const Matrix a = random_matrix(3, 3, 7);
    const Vector x = random_matrix(3, 1, 8);
    const auto at = [&](Eigen::Index i, Eigen::Index j) { return i < j ? a(j, i) : a(i, j); };
    const Vector found = symmetric_times(a, x);
    for (Eigen::Index i = 0; i < 3; ++i)
        CHECK(found(i) ==
              std::fma(at(i, 2), x(2), std::fma(at(i, 1), x(1), std::fma(at(i, 0), x(0), 0.0))));
}

TEST_CASE("products with symmetric matrices have the same bits with either width of registers") {
    if (!ventral::test::has_both_widths()) return;
    for (const Eigen::Index n : {1, 3, 7, 8, 9, 15, 16, 100, 136, 168, 384, 521})
        for (const Eigen::Index vectors : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20, 23}) {
            INFO(n << " rows, " << vectors << " vectors");
            const Matrix a = lower_of(n);
            const Matrix b = random_matrix(n, vectors, 4);
            CHECK(same_bits(product(a, b, VectorWidth::avx512), product(a, b, VectorWidth::avx2)));
        }
}

TEST_CASE("each vector's product is that of the vector alone, with either width of registers") {
    const Matrix a = lower_of(300);
    const Matrix b = random_matrix(300, 23, 4);
    for (const auto width : {VectorWidth::avx2, vector_width()})
        for (const Eigen::Index first : {0, 1, 9, 20}) {
            const Matrix all = product(a, b, width);
            for (const Eigen::Index count : {1, 2, 3}) {
                const Matrix some = product(a, b.middleCols(first, count), width);
                CHECK(same_bits(some, Matrix(all.middleCols(first, count))));
            }
        }
}

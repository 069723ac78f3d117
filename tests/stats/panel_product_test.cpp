#include "stats/linear_algebra/panel_product.hpp"

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

Matrix rows_product(const Eigen::Ref<const Matrix>& a, const Matrix& b,
                    VectorWidth width = vector_width()) {
    Matrix out(a.rows(), b.cols());
    multiply_rows(a, b, {0, a.rows()}, out, width);
    return out;
}

Matrix columns_product(const Eigen::Ref<const Matrix>& a, const Matrix& b,
                       VectorWidth width = vector_width()) {
    Matrix out(a.cols(), b.cols());
    multiply_columns(a, b, {0, a.cols()}, out, width);
    return out;
}

}  // namespace

TEST_CASE("a matrix times few vectors is their product, whatever the sizes") {
    for (const Eigen::Index rows : {1, 7, 8, 16, 256, 301, 600})
        for (const Eigen::Index columns : {1, 5, 8, 17})
            for (const Eigen::Index vectors : {1, 3, 10, 23}) {
                INFO(rows << " × " << columns << ", " << vectors << " vectors");
                const Matrix a = random_matrix(rows, columns, 1);
                const Matrix b = random_matrix(columns, vectors, 2);
                const Matrix c = random_matrix(rows, vectors, 3);
                CHECK(largest_difference(rows_product(a, b), a * b) < rounding);
                CHECK(largest_difference(columns_product(a, c), a.transpose() * c) < rounding);
            }
}

TEST_CASE("a few columns are added up fused, one after the other") {
    const Matrix a = random_matrix(5, 2, 1);
    const Matrix b = random_matrix(2, 1, 2);
    const Matrix found = rows_product(a, b);
    for (Eigen::Index i = 0; i < 5; ++i)
        CHECK(found(i, 0) == std::fma(a(i, 1), b(1, 0), a(i, 0) * b(0, 0)));
}

TEST_CASE("products with few vectors have the same bits with either width of registers") {
    if (!ventral::test::has_both_widths()) return;
    for (const Eigen::Index vectors : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20}) {
        const Matrix a = random_matrix(301, 21, 1);
        const Matrix b = random_matrix(21, vectors, 2);
        const Matrix c = random_matrix(301, vectors, 3);
        CHECK(same_bits(rows_product(a, b, VectorWidth::avx512),
                        rows_product(a, b, VectorWidth::avx2)));
        CHECK(same_bits(columns_product(a, c, VectorWidth::avx512),
                        columns_product(a, c, VectorWidth::avx2)));
    }
}

TEST_CASE("products with few vectors have the same bits in parts, alone and at any address") {
    const Matrix a = random_matrix(301, 21, 1);
    const Matrix b = random_matrix(21, 13, 2);
    const Matrix c = random_matrix(301, 13, 3);
    Matrix rows(301, 13);
    multiply_rows(a, b, {0, 100}, rows);
    multiply_rows(a, b, {100, 201}, rows);
    CHECK(same_bits(rows, rows_product(a, b)));
    Matrix columns(21, 13);
    multiply_columns(a, c, {0, 5}, columns);
    multiply_columns(a, c, {5, 16}, columns);
    CHECK(same_bits(columns, columns_product(a, c)));
    CHECK(same_bits(rows_product(a, b.col(12)), Matrix(rows.col(12))));
    CHECK(same_bits(columns_product(a, c.col(12)), Matrix(columns.col(12))));
    std::vector<double> shifted(static_cast<std::size_t>(a.size()) + 1);
    std::copy_n(a.data(), a.size(), shifted.begin() + 1);
    const MatrixView moved(shifted.data() + 1, 301, 21);
    CHECK(same_bits(rows_product(moved, b), rows));
    CHECK(same_bits(columns_product(moved, c), columns));
}

TEST_CASE("rows and columns that are not asked for are left alone") {
    const Matrix a = random_matrix(9, 6, 5);
    Matrix out = Matrix::Constant(9, 1, 7.0);
    multiply_rows(a, Matrix::Ones(6, 1), {2, 2}, out);
    CHECK(out(1, 0) == 7.0);
    CHECK(out(2, 0) == Approx(a.row(2).sum()));
    CHECK(out(4, 0) == 7.0);
    out = Matrix::Constant(6, 1, 7.0);
    multiply_columns(a, Matrix::Ones(9, 1), {2, 2}, out);
    CHECK(out(1, 0) == 7.0);
    CHECK(out(2, 0) == Approx(a.col(2).sum()));
    CHECK(out(4, 0) == 7.0);
}

#include "stats/linear.hpp"

#include <algorithm>
#include <cmath>

#include <cblas.h>
#include <lapacke.h>

#include "stats/linear_algebra.hpp"
#include "stats/staircase_qr.hpp"

namespace ventral::stats {
namespace {

constexpr double eps = 0x1p-52;
constexpr Eigen::Index target_block = 1024;

int lapack_size(Eigen::Index n) { return static_cast<int>(n); }

/// H · matrix: row i is the mean of the rows up to i minus row i + 1, of unit length as contrast. H
/// is orthonormal and orthogonal to the constant.
Matrix contrasts(const Matrix& matrix) {
    Matrix out(matrix.rows() - 1, matrix.cols());
    Vector lengths(out.rows());
    for (Eigen::Index i = 0; i < out.rows(); ++i)
        lengths(i) = std::sqrt(static_cast<double>(i + 1) / static_cast<double>(i + 2));
    for (Eigen::Index j = 0; j < out.cols(); ++j) {
        const double* from = matrix.col(j).data();
        double* to = out.col(j).data();
        double mean = from[0];
        for (Eigen::Index i = 0; i < out.rows(); ++i) {
            const double step = from[i + 1] - mean;
            to[i] = -step * lengths(i);
            mean += step / static_cast<double>(i + 2);
        }
    }
    return out;
}

/// In squares that stay in the cache.
Matrix transposed(const Matrix& a) {
    constexpr Eigen::Index edge = 32;
    Matrix out(a.cols(), a.rows());
    for (Eigen::Index column = 0; column < a.cols(); column += edge)
        for (Eigen::Index row = 0; row < a.rows(); row += edge)
            for (Eigen::Index i = row; i < std::min(row + edge, a.rows()); ++i)
                for (Eigen::Index j = column; j < std::min(column + edge, a.cols()); ++j)
                    out(j, i) = a(i, j);
    return out;
}

/// True if no singular value of the triangle can be at or below `cutoff` · the largest. The
/// condition number in the 1-norm is off by at most the number of columns, and its estimate rarely
/// by more than 3.
bool is_well_conditioned(const Matrix& triangle, double cutoff) {
    double reciprocal = 0;
    const int n = lapack_size(triangle.cols());
    if (LAPACKE_dtrcon(LAPACK_COL_MAJOR, '1', 'U', 'N', n, triangle.data(), n, &reciprocal) != 0)
        return false;
    return reciprocal > 10 * static_cast<double>(triangle.cols()) * cutoff;
}

/// T⁺ b, or T⁺ᵀ b.
Matrix solve(const Matrix& triangle, CBLAS_TRANSPOSE transposition, Matrix b, double cutoff) {
    if (!is_well_conditioned(triangle, cutoff)) {
        const Matrix inverse = pseudo_inverse(triangle, cutoff);
        return transposition == CblasTrans ? multiply_transposed(inverse, b) : multiply(inverse, b);
    }
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, transposition, CblasNonUnit,
                lapack_size(b.rows()), lapack_size(b.cols()), 1.0, triangle.data(),
                lapack_size(triangle.rows()), b.data(), lapack_size(b.rows()));
    return b;
}

/// Rows of the staircase that contrasts of a lower triangle's rows have as columns: contrast i ends
/// with row i + 1.
std::vector<Eigen::Index> triangle_heights(const std::vector<Eigen::Index>& rows) {
    std::vector<Eigen::Index> heights;
    for (std::size_t i = 1; i < rows.size(); ++i) heights.push_back(rows[i] + 1);
    return heights;
}

/// A⁺ᵀ test' (contrasts × test rows) of A = QᵀT with more columns than rows: A⁺ = Q T⁺ᵀ.
Matrix wide_weights(const Matrix& a, std::vector<Eigen::Index> heights, const Matrix& test,
                    double cutoff) {
    const StaircaseQr qr(transposed(a), std::move(heights));
    Matrix turned = transposed(test);
    qr.apply_transposed(turned);
    return solve(qr.triangle(), CblasNoTrans, turned.topRows(a.rows()), cutoff);
}

/// The same of A = Q T with at least as many rows as columns: A⁺ = T⁺ Qᵀ.
Matrix tall_weights(const Matrix& a, const Matrix& test, double cutoff) {
    const StaircaseQr qr(a,
                         std::vector<Eigen::Index>(static_cast<std::size_t>(a.cols()), a.rows()));
    Matrix weights = Matrix::Zero(a.rows(), test.rows());
    weights.topRows(a.cols()) = solve(qr.triangle(), CblasTrans, transposed(test), cutoff);
    qr.apply(weights);
    return weights;
}

/// What each contrast of a target counts for its predictions: contrasts × test rows.
Matrix prediction_weights(const Matrix& reduced, std::size_t features,
                          const std::vector<Eigen::Index>& train,
                          const std::vector<Eigen::Index>& test_rows) {
    const Vector means = column_means(reduced, train);
    const Matrix a = contrasts(centred_rows(reduced, train, means));
    const Matrix test = centred_rows(reduced, test_rows, means);
    if (train.size() > features) return tall_weights(a, test, eps);
    const double cutoff = static_cast<double>(std::max(train.size(), features)) * eps;
    const bool is_triangle = features > static_cast<std::size_t>(reduced.rows());
    auto heights =
        is_triangle ? triangle_heights(train)
                    : std::vector<Eigen::Index>(static_cast<std::size_t>(a.rows()), reduced.cols());
    return wide_weights(a, std::move(heights), test, cutoff);
}

}  // namespace

Matrix linear_predict(const Matrix& reduced, const Matrix& targets, std::size_t features,
                      const FoldRows& fold) {
    // In ascending order the rows of a triangle form a staircase; the order changes nothing else.
    auto train = fold.train;
    std::sort(train.begin(), train.end());
    const Vector means = column_means(targets, train);
    Matrix prediction = Matrix::Zero(static_cast<Eigen::Index>(fold.test.size()), targets.cols());
    if (train.size() > 1) {
        const Matrix weights = prediction_weights(reduced, features, train, fold.test);
        for (Eigen::Index first = 0; first < targets.cols(); first += target_block) {
            const Eigen::Index count = std::min(target_block, targets.cols() - first);
            const Matrix y =
                centred_rows(targets.middleCols(first, count), train, means.segment(first, count));
            prediction.middleCols(first, count) = multiply_transposed(weights, contrasts(y));
        }
    }
    for (Eigen::Index j = 0; j < prediction.cols(); ++j) prediction.col(j).array() += means(j);
    return prediction;
}

}  // namespace ventral::stats

#include "stats/linear.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

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

/// Reciprocal condition number in the 1-norm, as LAPACK estimates it.
double reciprocal_condition(const Matrix& triangle) {
    double reciprocal = 0;
    const int n = lapack_size(triangle.cols());
    const int failed =
        LAPACKE_dtrcon(LAPACK_COL_MAJOR, '1', 'U', 'N', n, triangle.data(), n, &reciprocal);
    return failed ? 0.0 : reciprocal;
}

/// b ← T⁻¹ b or T⁻ᵀ b.
void solve_triangle(const Matrix& triangle, CBLAS_TRANSPOSE transposition, Matrix& b) {
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, transposition, CblasNonUnit,
                lapack_size(b.rows()), lapack_size(b.cols()), 1.0, triangle.data(),
                lapack_size(triangle.rows()), b.data(), lapack_size(b.rows()));
}

/// Train and test rows of the features, minus the train rows' means.
struct CentredFold {
    Matrix train;
    Matrix test;
};

/// Rows of the staircase that contrasts of a lower triangle's rows have as columns: contrast i ends
/// with row i + 1.
std::vector<Eigen::Index> triangle_heights(const std::vector<Eigen::Index>& rows) {
    std::vector<Eigen::Index> heights;
    for (std::size_t i = 1; i < rows.size(); ++i) heights.push_back(rows[i] + 1);
    return heights;
}

/// What each contrast of a target counts for its predictions (contrasts × test rows), of more
/// features than contrasts: with A = TᵀQᵀ, A⁺ = Q T⁺ᵀ.
Matrix wide_weights(const CentredFold& x, std::vector<Eigen::Index> heights, double cutoff) {
    const Matrix a = contrasts(x.train);
    const StaircaseQr qr(transposed(a), std::move(heights));
    Matrix turned = transposed(x.test);
    qr.apply_transposed(turned);
    Matrix weights = turned.topRows(a.rows());
    const Matrix triangle = qr.triangle();
    // The 1-norm's condition number is off by at most the number of columns, and its estimate
    // rarely by more than 3.
    const double safe = 10 * static_cast<double>(a.rows()) * cutoff;
    if (!(reciprocal_condition(triangle) > safe))
        return multiply(pseudo_inverse(triangle, cutoff), weights);
    solve_triangle(triangle, CblasNoTrans, weights);
    return weights;
}

/// The same of at least as many contrasts as features: with A = Q T, A⁺ = T⁻¹Qᵀ. Nothing if A is
/// so ill-conditioned that it matters how its singular values are found.
std::optional<Matrix> tall_weights(const CentredFold& x) {
    constexpr double safe = 1e-9;
    Matrix a = contrasts(x.train);
    const Eigen::Index rows = a.rows();
    const Eigen::Index columns = a.cols();
    const StaircaseQr qr(std::move(a),
                         std::vector<Eigen::Index>(static_cast<std::size_t>(columns), rows));
    const Matrix triangle = qr.triangle();
    if (!(reciprocal_condition(triangle) > safe)) return std::nullopt;
    Matrix solved = transposed(x.test);
    solve_triangle(triangle, CblasTrans, solved);
    Matrix weights = Matrix::Zero(rows, x.test.rows());
    weights.topRows(columns) = solved;
    qr.apply(weights);
    return weights;
}

/// Test rows predicted by the very routine of the reference, which treats singular values of a few
/// eps in its own way: golden `neural_degenerate` has one.
Matrix predict_by_gelsd(const CentredFold& x, const Matrix& y) {
    Matrix a = x.train;
    Matrix b = y;
    Vector singular(a.cols());
    int rank = 0;
    const int rows = lapack_size(a.rows());
    const int failed =
        LAPACKE_dgelsd(LAPACK_COL_MAJOR, rows, lapack_size(a.cols()), lapack_size(b.cols()),
                       a.data(), rows, b.data(), rows, singular.data(), eps, &rank);
    if (failed) throw std::runtime_error("linear regression: the SVD did not converge");
    return multiply(x.test, b.topRows(a.cols()));
}

std::optional<Matrix> prediction_weights(const CentredFold& x, const Matrix& reduced,
                                         std::size_t features,
                                         const std::vector<Eigen::Index>& train) {
    if (train.size() > features) return tall_weights(x);
    const double cutoff = static_cast<double>(std::max(train.size(), features)) * eps;
    // What stands for more features than rows is a triangle.
    if (features > static_cast<std::size_t>(reduced.cols()))
        return wide_weights(x, triangle_heights(train), cutoff);
    return wide_weights(x, std::vector<Eigen::Index>(train.size() - 1, reduced.cols()), cutoff);
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
        const Vector x_means = column_means(reduced, train);
        const CentredFold x{centred_rows(reduced, train, x_means),
                            centred_rows(reduced, fold.test, x_means)};
        const auto weights = prediction_weights(x, reduced, features, train);
        for (Eigen::Index first = 0; first < targets.cols(); first += target_block) {
            const Eigen::Index count = std::min(target_block, targets.cols() - first);
            const Matrix y =
                centred_rows(targets.middleCols(first, count), train, means.segment(first, count));
            prediction.middleCols(first, count) =
                weights ? multiply_transposed(*weights, contrasts(y)) : predict_by_gelsd(x, y);
        }
    }
    for (Eigen::Index j = 0; j < prediction.cols(); ++j) prediction.col(j).array() += means(j);
    return prediction;
}

}  // namespace ventral::stats

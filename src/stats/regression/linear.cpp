#include "stats/regression/linear.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

#include <cblas.h>
#include <lapacke.h>

#include "stats/linear_algebra/eps.hpp"
#include "stats/linear_algebra/lapack_workspace.hpp"
#include "stats/linear_algebra/least_squares.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"
#include "stats/linear_algebra/staircase_qr.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index target_block = 1024;

/// Contrast i is the mean of the rows up to i minus row i + 1, times this.
Vector contrast_lengths(Eigen::Index contrasts) {
    Vector lengths(contrasts);
    for (Eigen::Index i = 0; i < contrasts; ++i)
        lengths(i) = std::sqrt(static_cast<double>(i + 1) / static_cast<double>(i + 2));
    return lengths;
}

/// H · matrix, whose rows are the contrasts. H is orthonormal and orthogonal to the constant.
Matrix contrasts(const Matrix& matrix) {
    Matrix out(matrix.rows() - 1, matrix.cols());
    const Vector lengths = contrast_lengths(out.rows());
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

/// (H · these rows of matrix)ᵀ, without a copy of the rows: its columns are the contrasts. Rows of
/// zeros make it square if the matrix has fewer columns than there are contrasts.
Matrix transposed_contrasts(const Matrix& matrix, const std::vector<Eigen::Index>& rows) {
    constexpr Eigen::Index edge = 32;
    const auto contrasts = static_cast<Eigen::Index>(rows.size()) - 1;
    Matrix out = Matrix::Zero(std::max(matrix.cols(), contrasts), contrasts);
    for (Eigen::Index first = 0; first < out.cols(); first += edge)
        for (Eigen::Index j = 0; j < matrix.cols(); ++j)
            for (Eigen::Index i = first; i < std::min(first + edge, out.cols()); ++i)
                out(j, i) = matrix(rows[static_cast<std::size_t>(i + 1)], j);
    const Vector lengths = contrast_lengths(out.cols());
    Vector mean = Vector::Zero(out.rows());
    mean.head(matrix.cols()) = matrix.row(rows.front());
    for (Eigen::Index i = 0; i < out.cols(); ++i) {
        const Vector step = out.col(i) - mean;
        out.col(i) = -step * lengths(i);
        mean += step / static_cast<double>(i + 2);
    }
    return out;
}

/// Reciprocal condition number in the 1-norm of the upper triangle, as LAPACK estimates it.
double reciprocal_condition(const Matrix& triangle) {
    double reciprocal = 0;
    const int n = blas_size(triangle.cols());
    const int failed =
        with_workspace(LAPACKE_dtrcon(LAPACK_COL_MAJOR, '1', 'U', 'N', n, triangle.data(),
                                      blas_size(triangle.rows()), &reciprocal));
    return failed ? 0.0 : reciprocal;
}

/// b ← T⁻¹ b or T⁻ᵀ b, T being the upper triangle.
void solve_triangle(const Matrix& triangle, CBLAS_TRANSPOSE transposition, Matrix& b) {
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, transposition, CblasNonUnit,
                blas_size(b.rows()), blas_size(b.cols()), 1.0, triangle.data(),
                blas_size(triangle.rows()), b.data(), blas_size(b.rows()));
}

/// How many columns of each row there are up to its last that is not zero.
std::vector<Eigen::Index> row_ends(const Matrix& matrix) {
    std::vector<Eigen::Index> ends(static_cast<std::size_t>(matrix.rows()), 0);
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
        for (Eigen::Index i = 0; i < matrix.rows(); ++i)
            if (matrix(i, j) != 0) ends[static_cast<std::size_t>(i)] = j + 1;
    return ends;
}

/// An order of train rows in which their contrasts, as columns, are a staircase.
struct Staircase {
    std::vector<Eigen::Index> rows;
    std::vector<Eigen::Index> heights;  ///< contrast i ends where the longest row up to i + 1 does
};

/// The order of rows changes nothing but rounding: the shorter ones come first, in ascending order
/// among themselves. Only rows of a triangle, in whatever order it has them, are looked at.
Staircase staircase_of(const Matrix& reduced, std::vector<Eigen::Index> rows, bool of_triangle) {
    const auto ends = of_triangle ? row_ends(reduced)
                                  : std::vector<Eigen::Index>(
                                        static_cast<std::size_t>(reduced.rows()), reduced.cols());
    const auto end = [&](Eigen::Index row) { return ends[static_cast<std::size_t>(row)]; };
    std::sort(rows.begin(), rows.end(), [&](Eigen::Index a, Eigen::Index b) {
        return std::pair(end(a), a) < std::pair(end(b), b);
    });
    std::vector<Eigen::Index> heights;
    for (std::size_t i = 1; i < rows.size(); ++i)
        heights.push_back(std::max(end(rows[i]), static_cast<Eigen::Index>(i)));
    return {std::move(rows), std::move(heights)};
}

/// Train rows of the features, and test rows minus the train rows' means.
struct Fold {
    const Matrix& reduced;
    const std::vector<Eigen::Index>& train;
    const Vector& means;
    Matrix test;
};

/// What each contrast of a target counts for its predictions (contrasts × test rows), of more
/// features than contrasts: with A = TᵀQᵀ, A⁺ = Q T⁺ᵀ.
Matrix wide_weights(const Fold& x, std::vector<Eigen::Index> heights, double cutoff) {
    const StaircaseQr qr(transposed_contrasts(x.reduced, x.train), std::move(heights));
    Matrix weights = Matrix::Zero(qr.with_triangle().rows(), x.test.rows());
    weights.topRows(x.test.cols()) = transposed(x.test);
    qr.apply_transposed(weights);
    const Eigen::Index contrasts = qr.with_triangle().cols();
    weights.conservativeResize(contrasts, Eigen::NoChange);
    // The 1-norm's condition number is off by at most the number of columns, and its estimate
    // rarely by more than 3.
    const double safe = 10 * static_cast<double>(contrasts) * cutoff;
    if (!(reciprocal_condition(qr.with_triangle()) > safe))
        return multiply(pseudo_inverse(qr.triangle(), cutoff), weights);
    solve_triangle(qr.with_triangle(), CblasNoTrans, weights);
    return weights;
}

/// A = Q T of at least as many contrasts as features, so that A⁺ = T⁻¹Qᵀ. Nothing if A is so
/// ill-conditioned that it matters how its singular values are found.
std::optional<StaircaseQr> tall_qr(const Fold& x) {
    constexpr double safe = 1e-9;
    Matrix a = contrasts(centred_rows(x.reduced, x.train, x.means));
    const Eigen::Index rows = a.rows();
    const Eigen::Index columns = a.cols();
    StaircaseQr qr(std::move(a),
                   std::vector<Eigen::Index>(static_cast<std::size_t>(columns), rows));
    if (!(reciprocal_condition(qr.with_triangle()) > safe)) return std::nullopt;
    return qr;
}

/// (test · A⁺)ᵀ.
Matrix tall_weights(const Matrix& test, const StaircaseQr& qr) {
    Matrix solved = transposed(test);
    solve_triangle(qr.with_triangle(), CblasTrans, solved);
    Matrix weights = Matrix::Zero(qr.with_triangle().rows(), test.rows());
    weights.topRows(test.cols()) = solved;
    qr.apply(weights);
    return weights;
}

/// test · A⁺ · (contrasts of targets).
Matrix tall_prediction(const Matrix& test, const StaircaseQr& qr, Matrix contrasts) {
    qr.apply_transposed(contrasts);
    Matrix coefficients = contrasts.topRows(test.cols());
    solve_triangle(qr.with_triangle(), CblasNoTrans, coefficients);
    return multiply(test, coefficients);
}

/// Least squares by the reference's routine.
struct GelsdSolution {
    Matrix weights;
    CutSingularValues cut;
};

GelsdSolution solve_by_gelsd(Matrix a, Matrix b, double cutoff) {
    auto cut = solve_cut(a, b, cutoff);
    if (!cut) throw std::runtime_error("linear regression: the SVD did not converge");
    return {b.topRows(a.cols()), std::move(*cut)};
}

/// Each column of length 1, but for those that are no more than the rounding of their means.
Matrix with_unit_columns(Matrix centred, const Vector& means) {
    const auto rows = static_cast<double>(centred.rows());
    for (Eigen::Index j = 0; j < centred.cols(); ++j) {
        const double length = euclidean_norm(column(centred, j));
        if (length > rows * eps * std::abs(means(j)))
            centred.col(j) /= length;
        else
            centred.col(j).setZero();
    }
    return centred;
}

/// Where the routine of the reference cuts singular values: at eps times the largest. It treats
/// those of a few eps in its own way: golden `neural_degenerate` has one, of a feature far smaller
/// than others. But where it keeps more of them than features of one length have, as it does with
/// two equal ones among more than 25, the last are its rounding, another on each BLAS, and are cut.
double gelsd_cutoff(const Fold& x) {
    const Matrix nothing = Matrix::Zero(static_cast<Eigen::Index>(x.train.size()), 1);
    const auto centred = [&] { return centred_rows(x.reduced, x.train, x.means); };
    const double rounding = static_cast<double>(x.train.size()) * eps;
    const auto as_reference = solve_by_gelsd(centred(), nothing, eps).cut;
    const int rank =
        solve_by_gelsd(with_unit_columns(centred(), x.means), nothing, rounding).cut.rank;
    if (rank == 0 || as_reference.rank <= rank) return eps;
    const double kept = as_reference.singular(rank - 1);
    const double cut = as_reference.singular(rank);
    const double largest = as_reference.singular(0);
    return cut <= rounding * largest ? std::max(eps, std::sqrt(kept) * std::sqrt(cut) / largest)
                                     : eps;
}

/// From some targets' train rows, centred, to what is predicted of the test rows beside the means.
using Predict = std::function<Matrix(const Matrix& targets)>;

Predict predictor_by(Matrix weights) {
    return [weights = std::move(weights)](const Matrix& y) {
        return multiply_transposed(weights, contrasts(y));
    };
}

/// For `targets` of them, all in all.
Predict predictor(const Fold& x, std::size_t features, std::vector<Eigen::Index> heights,
                  Eigen::Index targets) {
    if (x.train.size() <= features) {
        const double cutoff = static_cast<double>(std::max(x.train.size(), features)) * eps;
        return predictor_by(wide_weights(x, std::move(heights), cutoff));
    }
    if (auto qr = tall_qr(x)) {
        if (predicts_by_weights(static_cast<double>(x.test.rows()),
                                static_cast<double>(x.test.cols()), static_cast<double>(targets)))
            return predictor_by(tall_weights(x.test, *qr));
        return [&x, qr = std::move(*qr)](const Matrix& y) {
            return tall_prediction(x.test, qr, contrasts(y));
        };
    }
    return [&x, cutoff = gelsd_cutoff(x)](const Matrix& y) {
        return multiply(
            x.test, solve_by_gelsd(centred_rows(x.reduced, x.train, x.means), y, cutoff).weights);
    };
}

}  // namespace

Matrix linear_predict(const Matrix& reduced, const Matrix& targets, std::size_t features,
                      const FoldRows& fold) {
    // What stands for more features than columns is made of rows of a triangle.
    const bool of_triangle = features > static_cast<std::size_t>(reduced.cols());
    const auto [train, heights] = staircase_of(reduced, fold.train, of_triangle);
    const Vector means = column_means(targets, train);
    Matrix prediction = Matrix::Zero(static_cast<Eigen::Index>(fold.test.size()), targets.cols());
    if (train.size() > 1) {
        const Vector x_means = column_means(reduced, train);
        const Fold x{reduced, train, x_means, centred_rows(reduced, fold.test, x_means)};
        const auto predict = predictor(x, features, heights, targets.cols());
        for (Eigen::Index first = 0; first < targets.cols(); first += target_block) {
            const Eigen::Index count = std::min(target_block, targets.cols() - first);
            prediction.middleCols(first, count) = predict(
                centred_rows(targets.middleCols(first, count), train, means.segment(first, count)));
        }
    }
    for (Eigen::Index j = 0; j < prediction.cols(); ++j) prediction.col(j).array() += means(j);
    return prediction;
}

}  // namespace ventral::stats

#include "stats/ridge_features.hpp"

#include <cmath>
#include <optional>

#include <lapacke.h>

#include "stats/lapack_workspace.hpp"
#include "stats/linear_algebra.hpp"
#include "stats/ridge.hpp"

namespace ventral::stats {
namespace {

/// b ← the solution of (a + alpha I) x = b; `a` is used up, `b` too if there is none.
bool solve(Matrix& a, Matrix& b, double alpha) {
    a.diagonal().array() += alpha;
    return solve_positive_definite(a, b);
}

/// X and Y on the train rows, each minus its means there.
struct Centred {
    const Matrix& reduced;
    const Matrix& targets;
    const FoldRows& fold;
    Vector x_mean = column_means(reduced, fold.train);
    Vector y_mean = column_means(targets, fold.train);
};

/// Nothing if alpha is lost in rounding.
std::optional<Matrix> coefficients_by_squares(const Centred& of, double alpha) {
    const Matrix x = centred_rows(of.reduced, of.fold.train, of.x_mean);
    Matrix y = centred_rows(of.targets, of.fold.train, of.y_mean);
    if (x.cols() > x.rows()) {
        Matrix k = multiply(x, x.transpose());
        if (!solve(k, y, alpha)) return std::nullopt;
        return multiply_transposed(x, y);
    }
    Matrix b = multiply_transposed(x, y);
    Matrix k = multiply_transposed(x, x);
    if (!solve(k, b, alpha)) return std::nullopt;
    return b;
}

/// The train rows of `matrix` minus their `means`, and `below` rows of zeros.
Matrix centred_above_zeros(const Matrix& matrix, const FoldRows& fold, const Vector& means,
                           Eigen::Index below) {
    const auto rows = static_cast<Eigen::Index>(fold.train.size());
    Matrix joined = Matrix::Zero(rows + below, matrix.cols());
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
        joined.col(j).head(rows) = centred_rows(matrix.col(j), fold.train, means.segment(j, 1));
    return joined;
}

/// The same by the least squares of [X; √alpha I] and [Y; 0], in which nothing is squared. With
/// more train rows than columns it takes what the squares take, and the coefficients once more.
Matrix coefficients_unsquared(const Centred& of, double alpha) {
    const Eigen::Index p = of.reduced.cols();
    Matrix x = centred_above_zeros(of.reduced, of.fold, of.x_mean, p);
    if (!(alpha > 0) || !x.allFinite()) throw_not_definite(alpha);
    x.bottomRows(p).diagonal().setConstant(std::sqrt(alpha));
    Matrix y = centred_above_zeros(of.targets, of.fold, of.y_mean, p);
    const int rows = blas_size(x.rows());
    if (with_workspace(LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', rows, blas_size(p), blas_size(y.cols()),
                                     x.data(), rows, y.data(), rows)) != 0)
        throw_not_definite(alpha);
    return y.topRows(p);
}

}  // namespace

Matrix ridge_predict_features(const Matrix& reduced, const Matrix& targets, const FoldRows& fold,
                              double alpha) {
    const Centred of{reduced, targets, fold};
    auto b = coefficients_by_squares(of, alpha);
    if (!b) b = coefficients_unsquared(of, alpha);
    Matrix prediction = multiply(centred_rows(reduced, fold.test, of.x_mean), *b);
    for (Eigen::Index j = 0; j < prediction.cols(); ++j) prediction.col(j).array() += of.y_mean(j);
    return prediction;
}

}  // namespace ventral::stats

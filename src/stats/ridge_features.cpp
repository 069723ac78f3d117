#include "stats/ridge_features.hpp"

#include "core/errors.hpp"
#include "stats/linear_algebra.hpp"

namespace ventral::stats {
namespace {

/// b ← the solution of (a + alpha I) x = b; `a` is used up.
void solve(Matrix& a, Matrix& b, double alpha) {
    a.diagonal().array() += alpha;
    if (!solve_positive_definite(a, b))
        throw core::InputError("ridge: XᵀX + alpha I is not positive definite (alpha = " +
                               std::to_string(alpha) + ")");
}

Matrix coefficients(const Matrix& x, Matrix y, double alpha) {
    if (x.cols() > x.rows()) {
        Matrix k = multiply(x, x.transpose());
        solve(k, y, alpha);
        return multiply_transposed(x, y);
    }
    Matrix b = multiply_transposed(x, y);
    Matrix k = multiply_transposed(x, x);
    solve(k, b, alpha);
    return b;
}

}  // namespace

Matrix ridge_predict_features(const Matrix& reduced, const Matrix& targets, const FoldRows& fold,
                              double alpha) {
    const Vector x_mean = column_means(reduced, fold.train);
    const Vector y_mean = column_means(targets, fold.train);
    const Matrix b = coefficients(centred_rows(reduced, fold.train, x_mean),
                                  centred_rows(targets, fold.train, y_mean), alpha);
    Matrix prediction = multiply(centred_rows(reduced, fold.test, x_mean), b);
    for (Eigen::Index j = 0; j < prediction.cols(); ++j) prediction.col(j).array() += y_mean(j);
    return prediction;
}

}  // namespace ventral::stats

#include "stats/ridge.hpp"

#include "core/errors.hpp"
#include "stats/linear_algebra.hpp"

namespace ventral::stats {
namespace {

/// K over rows × columns.
Matrix block_of(const MatrixView& kernel, const std::vector<Eigen::Index>& rows,
                const std::vector<Eigen::Index>& columns) {
    Matrix block(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
    for (Eigen::Index j = 0; j < block.cols(); ++j) {
        const double* from = kernel.col(columns[static_cast<std::size_t>(j)]).data();
        double* to = block.col(j).data();
        for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
    }
    return block;
}

Vector means_of_columns(const Matrix& matrix) {
    Vector means(matrix.cols());
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
        means(j) = sum(column(matrix, j)) / static_cast<double>(matrix.rows());
    return means;
}

/// k(i, j) → k(i, j) − row(i) − mean(j) + grand: the product of rows centred on the train rows.
void centre(Matrix& k, const Vector& row, const Vector& mean, double grand) {
    for (Eigen::Index j = 0; j < k.cols(); ++j) {
        const double shift = grand - mean(j);
        double* to = k.col(j).data();
        for (Eigen::Index i = 0; i < k.rows(); ++i) to[i] = (to[i] - row(i)) + shift;
    }
}

/// matrix ← matrix − means, column by column.
void centre_columns(Matrix& matrix, const Vector& means) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) matrix.col(j).array() -= means(j);
}

/// b ← the solution of (a + alpha I) x = b; `a` is used up.
void solve_ridge(Matrix& a, Matrix& b, double alpha) {
    a.diagonal().array() += alpha;
    if (!solve_positive_definite(a, b))
        throw core::InputError(
            "ridge: K + alpha I is not positive definite (alpha = " + std::to_string(alpha) + ")");
}

}  // namespace

Matrix ridge_predict(const Problem& problem, const FoldRows& fold, double alpha) {
    Matrix k = block_of(problem.kernel, fold.train, fold.train);
    Matrix k_test = block_of(problem.kernel, fold.test, fold.train);
    const Vector mean =
        means_of_columns(k);  // of each train row with all train rows; k is symmetric
    const double grand = sum(as_span(mean)) / static_cast<double>(mean.size());
    const Vector test_mean = means_of_columns(k_test.transpose());
    centre(k, mean, mean, grand);
    centre(k_test, test_mean, mean, grand);

    const Vector y_mean = column_means(problem.targets, fold.train);
    Matrix y = rows_of(problem.targets, fold.train);
    centre_columns(y, y_mean);
    solve_ridge(k, y, alpha);
    Matrix prediction = multiply(k_test, y);
    centre_columns(prediction, -y_mean);
    return prediction;
}

Matrix ridge_predict_features(const Matrix& reduced, const Matrix& targets, const FoldRows& fold,
                              double alpha) {
    const Vector x_mean = column_means(reduced, fold.train);
    const Vector y_mean = column_means(targets, fold.train);
    Matrix x = rows_of(reduced, fold.train);
    Matrix x_test = rows_of(reduced, fold.test);
    Matrix y = rows_of(targets, fold.train);
    centre_columns(x, x_mean);
    centre_columns(x_test, x_mean);
    centre_columns(y, y_mean);
    Matrix coefficients;
    if (x.cols() > x.rows()) {
        Matrix k = multiply(x, x.transpose());
        solve_ridge(k, y, alpha);
        coefficients = multiply_transposed(x, y);
    } else {
        coefficients = multiply_transposed(x, y);
        Matrix k = multiply_transposed(x, x);
        solve_ridge(k, coefficients, alpha);
    }
    Matrix prediction = multiply(x_test, coefficients);
    centre_columns(prediction, -y_mean);
    return prediction;
}

}  // namespace ventral::stats

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
    for (Eigen::Index j = 0; j < y.cols(); ++j) y.col(j).array() -= y_mean(j);
    k.diagonal().array() += alpha;
    if (!solve_positive_definite(k, y))
        throw core::InputError(
            "ridge: K + alpha I is not positive definite (alpha = " + std::to_string(alpha) + ")");
    Matrix prediction = multiply(k_test, y);
    for (Eigen::Index j = 0; j < prediction.cols(); ++j) prediction.col(j).array() += y_mean(j);
    return prediction;
}

}  // namespace ventral::stats

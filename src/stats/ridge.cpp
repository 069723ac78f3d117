#include "stats/ridge.hpp"

#include "core/errors.hpp"
#include "stats/centred_kernel.hpp"
#include "stats/linear_algebra.hpp"
#include "stats/tiled_cholesky.hpp"

namespace ventral::stats {

Matrix ridge_predict(const Problem& problem, const FoldRows& fold, double alpha,
                     core::Workers& workers) {
    CentredKernel kernel = centred_kernel(problem.kernel, fold, workers);
    const Vector y_mean = column_means(problem.targets, fold.train);
    Matrix y = centred_rows(problem.targets, fold.train, y_mean);
    kernel.train.diagonal().array() += alpha;
    if (!factorise_in_tiles(kernel.train, workers)) throw_not_definite(alpha);
    solve_factorised(kernel.train, kernel.test.cols() < y.cols() ? kernel.test : y, workers);
    Matrix prediction = multiply_transposed(kernel.test, y);
    for (Eigen::Index j = 0; j < prediction.cols(); ++j) prediction.col(j).array() += y_mean(j);
    return prediction;
}

Matrix ridge_predict(const Problem& problem, const FoldRows& fold, double alpha) {
    core::Workers alone(1);
    return ridge_predict(problem, fold, alpha, alone);
}

void throw_not_definite(double alpha) {
    throw core::InputError(
        "ridge: K + alpha I is not positive definite (alpha = " + std::to_string(alpha) + ")");
}

}  // namespace ventral::stats

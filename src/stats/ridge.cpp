#include "stats/ridge.hpp"

#include <utility>

#include "core/errors.hpp"
#include "stats/centred_kernel.hpp"
#include "stats/eps.hpp"
#include "stats/intercept.hpp"
#include "stats/least_squares.hpp"
#include "stats/linear_algebra.hpp"
#include "stats/ridge_guard.hpp"
#include "stats/tiled_cholesky.hpp"

namespace ventral::stats {

namespace {

/// The lower triangle is what counts.
void mirror_lower_triangle(Matrix& a) {
    for (Eigen::Index j = 0; j < a.cols(); ++j)
        for (Eigen::Index i = 0; i < j; ++i) a(i, j) = a(j, i);
}

/// b ← a⁺ b, where what is below rounding counts as zero; `a` is used up. Beside both it takes
/// another b.
void solve_least_squares(Matrix& a, Matrix& b) {
    if (!solve_cut(a, b, eps * static_cast<double>(a.rows())))
        throw core::InputError("ridge: K + alpha I cannot be solved (the SVD fails)");
}

/// K_test (K + alpha I)⁺ Y, where alpha is below the rounding of K, so that Cholesky fails or finds
/// pivots that are rounding. `y` may be used up.
Matrix predict_by_least_squares(const Problem& problem, const FoldRows& fold, double alpha,
                                Matrix& y, core::Workers& workers) {
    if (!(alpha >= 0)) throw_not_definite(alpha);
    CentredKernel kernel = centred_kernel(problem.kernel, fold, workers);
    kernel.train.diagonal().array() += alpha;
    if (!kernel.train.allFinite()) throw_not_definite(alpha);
    mirror_lower_triangle(kernel.train);
    solve_least_squares(kernel.train, kernel.test.cols() < y.cols() ? kernel.test : y);
    return multiply_transposed(kernel.test, y);
}

/// `errors`: those of `rounding_of_predictions`, if they are wanted; empty where nothing is known.
Matrix predict(const Problem& problem, const FoldRows& fold, double alpha, core::Workers& workers,
               Vector* errors) {
    CentredKernel kernel = centred_kernel(problem.kernel, fold, workers);
    const Vector y_mean = column_means(problem.targets, fold.train);
    Matrix y = centred_rows(problem.targets, fold.train, y_mean);
    // Y has no part along the constant vector, of which K leaves alpha only: where that is below
    // the rounding of K it may be any number, so that it is made one of the size of the others.
    const bool is_lost = alpha < rounding_of(kernel.train);
    if (is_lost)
        kernel.train.array() +=
            kernel.train.diagonal().maxCoeff() / static_cast<double>(fold.train.size());
    kernel.train.diagonal().array() += alpha;
    const Vector diagonal = kernel.train.diagonal();
    Matrix prediction;
    Vector mean_prediction;
    if (factorise_in_tiles(kernel.train, workers) &&
        !(is_lost && has_lost_pivot(kernel.train, diagonal))) {
        const bool solves_test = kernel.test.cols() < y.cols();
        Matrix other;
        if (errors) {
            other = solves_test ? y : kernel.test;
            solve_factorised(kernel.train, other, workers);
        }
        solve_factorised(kernel.train, solves_test ? kernel.test : y, workers);
        if (errors)
            *errors = rounding_of_predictions(
                problem, fold,
                solves_test ? SolvedRidge{kernel.test, other} : SolvedRidge{other, y});
        prediction = multiply_transposed(kernel.test, y);
        if (Matrix of_mean = products_with_mean(problem.kernel, problem.sums, fold);
            of_mean.size() > 0) {
            if (solves_test) solve_factorised(kernel.train, of_mean, workers);
            mean_prediction = multiply_transposed(y, of_mean);
        }
    } else {
        kernel = {};  // what is left of it makes room
        prediction = predict_by_least_squares(problem, fold, alpha, y, workers);
    }
    add_intercept(prediction, y_mean, mean_prediction);
    return prediction;
}

}  // namespace

Matrix ridge_predict(const Problem& problem, const FoldRows& fold, double alpha,
                     core::Workers& workers) {
    return predict(problem, fold, alpha, workers, nullptr);
}

GuardedRidge ridge_predict_guarded(const Problem& problem, const FoldRows& fold, double alpha,
                                   core::Workers& workers) {
    Vector errors;
    GuardedRidge fit{predict(problem, fold, alpha, workers, &errors), 1};
    if (errors.size() > 0) fit.guard = ridge_guard(errors, fit.prediction);
    return fit;
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

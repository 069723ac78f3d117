#include "stats/regression/ridge.hpp"

#include <utility>

#include "core/errors.hpp"
#include "stats/gram/centred_kernel.hpp"
#include "stats/linear_algebra/eps.hpp"
#include "stats/linear_algebra/least_squares.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"
#include "stats/linear_algebra/tiled_cholesky.hpp"
#include "stats/regression/intercept.hpp"
#include "stats/regression/ridge_guard.hpp"

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

enum class Errors { unwanted, wanted };

struct Predicted {
    Matrix prediction;
    Vector of_mean = {};  ///< of the features' mean; empty where it is not known
    Vector errors = {};   ///< `rounding_of_predictions`; empty where they are unwanted or not known
};

/// Of the Cholesky factor in place of the train rows' kernel. The test rows and the targets `y` are
/// used up.
Predicted predict_factorised(const Problem& problem, const FoldRows& fold, CentredKernel& kernel,
                             Matrix& y, Errors wanted, core::Workers& workers) {
    const bool solves_test = kernel.test.cols() < y.cols();
    Matrix other;
    if (wanted == Errors::wanted) {
        other = solves_test ? y : kernel.test;
        solve_factorised(kernel.train, other, workers);
    }
    solve_factorised(kernel.train, solves_test ? kernel.test : y, workers);
    Predicted predicted;
    if (wanted == Errors::wanted)
        predicted.errors = rounding_of_predictions(
            problem, fold, solves_test ? SolvedRidge{kernel.test, other} : SolvedRidge{other, y});
    predicted.prediction = multiply_transposed(kernel.test, y);
    if (Matrix of_mean = products_with_mean(problem.kernel, problem.sums, fold);
        of_mean.size() > 0) {
        if (solves_test) solve_factorised(kernel.train, of_mean, workers);
        predicted.of_mean = multiply_transposed(y, of_mean);
    }
    return predicted;
}

Predicted predict(const Problem& problem, const FoldRows& fold, double alpha, Errors wanted,
                  core::Workers& workers) {
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
    Predicted predicted;
    if (factorise_in_tiles(kernel.train, workers) &&
        !(is_lost && has_lost_pivot(kernel.train, diagonal))) {
        predicted = predict_factorised(problem, fold, kernel, y, wanted, workers);
    } else {
        kernel = {};  // what is left of it makes room
        predicted.prediction = predict_by_least_squares(problem, fold, alpha, y, workers);
    }
    add_intercept(predicted.prediction, y_mean, predicted.of_mean);
    return predicted;
}

}  // namespace

Matrix ridge_predict(const Problem& problem, const FoldRows& fold, double alpha,
                     core::Workers& workers) {
    return predict(problem, fold, alpha, Errors::unwanted, workers).prediction;
}

GuardedRidge ridge_predict_guarded(const Problem& problem, const FoldRows& fold, double alpha,
                                   core::Workers& workers) {
    auto predicted = predict(problem, fold, alpha, Errors::wanted, workers);
    GuardedRidge fit{std::move(predicted.prediction), 1};
    if (predicted.errors.size() > 0) fit.guard = ridge_guard(predicted.errors, fit.prediction);
    return fit;
}

void throw_not_definite(double alpha) {
    throw core::InputError(
        "ridge: K + alpha I is not positive definite (alpha = " + std::to_string(alpha) + ")");
}

}  // namespace ventral::stats

#include "stats/regression/ridge_guard.hpp"

#include <algorithm>
#include <cmath>

#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/eps.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index column_block = 64;

/// Of each column b: Σ sizes_i (G(alpha) b)_i², the mean square of a sum over i of (G(alpha) b)_i
/// times an independent error of mean square sizes_i.
Vector weighted_squares(const RidgeSpectrum& spectrum, double alpha, const Vector& sizes,
                        const Matrix& b, core::Workers& workers) {
    Vector squares(b.cols());
    for_blocks(b.cols(), column_block, workers, [&](const Block& block) {
        const auto [first, count] = block;
        const Matrix solved = solve_in_span(spectrum, alpha, b.middleCols(first, count), workers);
        for (Eigen::Index j = 0; j < count; ++j) {
            const Vector terms = solved.col(j).array().square() * sizes.array();
            squares(first + j) = sum(as_span(terms));
        }
    });
    return squares;
}

double mean(const Vector& v) { return sum(as_span(v)) / static_cast<double>(v.size()); }

/// Of each row the larger of its squares in K, before the features are centred on the train rows
/// and after. Where a train row dwarfs the others, their own features are small beside the mean
/// that is taken from them.
Vector squares_of_rows(const Kernel& kernel, const FoldRows& fold) {
    const Vector diagonal = kernel.diagonal();
    const Vector ones = Vector::Ones(static_cast<Eigen::Index>(fold.train.size()));
    const Vector means = kernel.columns_times(fold.train, ones) / ones.sum();
    const double grand = mean(entries_of(means, fold.train));
    return diagonal.array().max(diagonal.array() - 2 * means.array() + grand);
}

/// `squares(sizes, b)`: as `weighted_squares`.
template <typename Squares>
Vector errors_of(const Problem& problem, const FoldRows& fold, const Matrix& test,
                 const Matrix& targets, const Squares& squares) {
    const Vector of_rows = squares_of_rows(problem.kernel, fold);
    const Vector train = entries_of(of_rows, fold.train);
    const double of_test = mean(entries_of(of_rows, fold.test)) + mean(squares(train, test));
    return eps * (of_test * squares(train, targets)).array().sqrt();
}

}  // namespace

Vector rounding_of_predictions(const Problem& problem, const FoldRows& fold, const RidgeFit& fit,
                               core::Workers& workers) {
    return errors_of(problem, fold, fit.kernel_of_test, fit.targets,
                     [&](const Vector& sizes, const Matrix& b) {
                         return weighted_squares(fit.spectrum, fit.alpha, sizes, b, workers);
                     });
}

Vector rounding_of_predictions(const Problem& problem, const FoldRows& fold,
                               const SolvedRidge& solved) {
    return errors_of(problem, fold, solved.of_test, solved.of_targets,
                     [](const Vector& sizes, const Matrix& solution) {
                         Vector squares(solution.cols());
                         for (Eigen::Index j = 0; j < squares.size(); ++j) {
                             const Vector terms = solution.col(j).array().square() * sizes.array();
                             squares(j) = sum(as_span(terms));
                         }
                         return squares;
                     });
}

double ridge_guard(const Vector& errors, const Matrix& prediction) {
    double guard = 0;
    if (prediction.rows() < 2) return guard;
    const auto rows = static_cast<double>(prediction.rows());
    for (Eigen::Index j = 0; j < errors.size(); ++j) {
        const double centre = mean(prediction.col(j));
        if (errors(j) <= eps * std::abs(centre)) continue;
        const Vector deviations = prediction.col(j).array() - centre;
        const double lost = errors(j) / std::sqrt(dot(deviations, deviations) / rows);
        guard = std::max(guard, lost < 1 ? lost : 1.0);
    }
    return guard;
}

}  // namespace ventral::stats

#include "stats/regression/ridge_guard.hpp"

#include <algorithm>
#include <cmath>

#include "stats/linear_algebra/eps.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {
namespace {

/// Of each solved column the mean square of a sum over its entries, each times an independent error
/// of mean square sizes_i.
Vector weighted_squares(const Vector& sizes, const Matrix& solved) {
    Vector squares(solved.cols());
    for (Eigen::Index j = 0; j < squares.size(); ++j) {
        const Vector terms = solved.col(j).array().square() * sizes.array();
        squares(j) = sum(as_span(terms));
    }
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

}  // namespace

Vector rounding_of_predictions(const Problem& problem, const FoldRows& fold,
                               const SolvedRidge& solved) {
    const Vector of_rows = squares_of_rows(problem.kernel, fold);
    const Vector train = entries_of(of_rows, fold.train);
    const double of_test =
        mean(entries_of(of_rows, fold.test)) + mean(weighted_squares(train, solved.of_test));
    return eps * (of_test * weighted_squares(train, solved.of_targets)).array().sqrt();
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

#pragma once
/// @file
/// Ridge regression whose alpha is chosen by leave-one-out errors of the train rows, one alpha for
/// all targets: scikit-learn's `RidgeCV(alphas)` (its `_RidgeGCV`), NUMERICS section 6.3.

#include <span>
#include <vector>

#include "core/workers.hpp"
#include "stats/folds/folds.hpp"

namespace ventral::stats {

/// Brain-Score's ALPHA_LIST: 99 values from 0.01 to 1e7, ascending.
const std::vector<double>& alpha_list();

struct RidgeCvFit {
    Matrix prediction;  ///< n_test × m
    double alpha;       ///< the first of the list with the least error
    double alpha_gap;   ///< (next best − best error) / best; infinite for a single alpha
    double guard = 0;   ///< of a fit to a Gram as `GuardedRidge` has it, see `guard_limit`
};

/// From the Gram matrix, scikit-learn's "eigen" form, which it takes for n_train ≤ p. The chosen
/// alpha is exact but where errors differ by less than about eps times the condition number of
/// K + alpha I, relative; the prediction is `ridge_predict`'s with that alpha. Throws
/// `core::InputError` unless there are alphas, all positive and finite.
RidgeCvFit ridge_cv_predict(const Problem& problem, const FoldRows& fold,
                            std::span<const double> alphas, core::Workers& workers);

/// From features of fewer columns than train rows, scikit-learn's "svd" form. Of as many or more
/// the reference's errors are those of a Gram, rounding and all: choose alpha by that.
/// `reduced` stands for the features, see `reduced_features.hpp`; `sums`: of their Gram, if known
/// (`intercept.hpp`).
RidgeCvFit ridge_cv_predict_features(const Matrix& reduced, const Matrix& targets,
                                     const FoldRows& fold, std::span<const double> alphas,
                                     core::Workers& workers, const GramSums& sums = {});

}  // namespace ventral::stats

#pragma once
/// @file
/// The metric "dual_ridge": correlation of recordings with their prediction by ridge regression in
/// its dual form.

#include <span>

#include "metrics/regression_fit.hpp"

namespace ventral::metrics {

/// Bump when a bit of such a score changes.
inline constexpr int dual_ridge_version = 4;

/// The problem of a dual form, which has no intercept where n_train < p but predicts from features
/// minus their mean: there it does not know what the Gram's centring took away.
stats::Problem without_intercept(const stats::Problem& problem,
                                 std::span<const stats::FoldRows> folds);

/// Brain-Score's `DualRidgeRegression`: `fit_ridge`. The reference computes the same function from
/// an inverse of K + alpha I where n_train < p, and else is its `ridge_regression`; ours is in the
/// dual form, in float64, wherever p ≥ n.
std::vector<FoldFit> fit_dual_ridge(const stats::Problem& problem,
                                    std::span<const stats::FoldRows> folds,
                                    const MetricOptions& options, core::Workers& workers);

}  // namespace ventral::metrics

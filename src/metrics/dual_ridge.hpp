#pragma once
/// @file
/// The metric "dual_ridge": correlation of recordings with their prediction by ridge regression in
/// its dual form.

#include <span>

#include "metrics/regression_fit.hpp"

namespace ventral::metrics {

/// Bump when a bit of such a score changes.
inline constexpr int dual_ridge_version = 9;

/// The problem as the reference's dual forms predict. Where n_train < p they add the recordings'
/// mean to what they predict from centred features, and know no intercept in the order of
/// `stats/regression/intercept.hpp`, which follows from the Gram's sums: there the problem has
/// none.
stats::Problem for_dual_form(const stats::Problem& problem, std::span<const stats::FoldRows> folds);

/// Brain-Score's `DualRidgeRegression`: `fit_ridge` of the problem `for_dual_form`. The reference
/// computes the same function from an inverse of K + alpha I where n_train < p, and else is its
/// `ridge_regression`; ours is in the dual form, in float64, wherever p ≥ n.
std::vector<FoldFit> fit_dual_ridge(const stats::Problem& problem,
                                    std::span<const stats::FoldRows> folds,
                                    const MetricOptions& options, core::Workers& workers);

}  // namespace ventral::metrics

#pragma once
/// @file
/// The metric "ridge": correlation of recordings with their prediction by ridge regression.

#include <span>

#include "metrics/regression_fit.hpp"

namespace ventral::metrics {

/// Bump when a bit of a ridge score changes.
inline constexpr int ridge_version = 13;

/// Brain-Score's `ridge_regression`: alpha 1, with intercept, in float64; see
/// `stats/regression/ridge.hpp`. Where a stimulus' features may dwarf those of the others each fold
/// has a guard, above 1e-10 of which it is said, and the fold fitted on the features if they are at
/// hand.
std::vector<FoldFit> fit_ridge(const stats::Problem& problem,
                               std::span<const stats::FoldRows> folds, const MetricOptions& options,
                               core::Workers& workers);

}  // namespace ventral::metrics

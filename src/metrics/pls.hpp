#pragma once
/// @file
/// The metric "pls": correlation of recordings with their prediction by partial least squares.

#include <span>

#include "metrics/regression_fit.hpp"

namespace ventral::metrics {

/// Bump when a bit of a pls score changes.
inline constexpr int pls_version = 13;

/// Whether all folds of a score are fitted on the features from the start: where they are few and
/// targets many.
bool fits_pls_on_features(const MetricOptions& options, std::span<const stats::FoldRows> folds,
                          std::size_t features, Eigen::Index targets);

/// Brain-Score's `pls_regression`: 25 components, unscaled; see `stats/pls/pls.hpp`. On the
/// features themselves where that loses digits, or where they are few and targets many.
std::vector<FoldFit> fit_pls(const stats::Problem& problem, std::span<const stats::FoldRows> folds,
                             const MetricOptions& options, core::Workers& workers);

}  // namespace ventral::metrics

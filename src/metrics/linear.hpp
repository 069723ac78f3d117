#pragma once
/// @file
/// The metric "linear_predictivity": correlation of recordings with their prediction by least
/// squares.

#include <span>

#include "metrics/regression_fit.hpp"

namespace ventral::metrics {

/// Bump when a bit of a linear_predictivity score changes.
inline constexpr int linear_version = 5;

/// Brain-Score's `linear_regression`, in float64; see `stats/regression/linear.hpp`. Always on the
/// features, as their small singular values are lost in a Gram: throws `core::InputError` if they
/// are not at hand.
std::vector<FoldFit> fit_linear(const stats::Problem& problem,
                                std::span<const stats::FoldRows> folds,
                                const MetricOptions& options, core::Workers& workers);

}  // namespace ventral::metrics

#pragma once
/// @file
/// The metric "neuron_to_neuron": correlation of recordings with the one feature that is most like
/// them.

#include <span>

#include "metrics/regression_fit.hpp"

namespace ventral::metrics {

/// Bump when a bit of a neuron_to_neuron score changes.
inline constexpr int neuron_to_neuron_version = 4;

/// Brain-Score's `SingleRegression`; see `stats/regression/neuron_to_neuron.hpp`. Needs
/// `Problem::read`, not the kernel. The score's own r is the ordinary Pearson of every metric.
std::vector<FoldFit> fit_neuron_to_neuron(const stats::Problem& problem,
                                          std::span<const stats::FoldRows> folds,
                                          const MetricOptions& options, core::Workers& workers);

}  // namespace ventral::metrics

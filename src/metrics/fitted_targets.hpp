#pragma once
/// @file
/// What of a plan's recordings is fitted.

#include "metrics/regression_plan.hpp"

namespace ventral::metrics {

/// Whether that is the averages over the time bins.
inline bool fits_averages(const RegressionPlan& plan) {
    return plan.time_bins > 0 && plan.time_layout == TimeLayout::averaged;
}

/// These averages, or else the targets.
inline const stats::Matrix& fitted_targets(const RegressionPlan& plan) {
    return fits_averages(plan) ? plan.averages : plan.targets;
}

}  // namespace ventral::metrics

#pragma once
/// @file
/// What of a plan's recordings is fitted.

#include "metrics/regression_plan.hpp"

namespace ventral::metrics {

/// The averages over the time bins where these are fitted, else the targets.
inline const stats::Matrix& fitted_targets(const RegressionPlan& plan) {
    const bool averaged = plan.time_bins > 0 && plan.time_layout == TimeLayout::averaged;
    return averaged ? plan.averages : plan.targets;
}

}  // namespace ventral::metrics

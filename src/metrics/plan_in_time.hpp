#pragma once
/// @file
/// Plans of recordings in several time bins (NUMERICS section 7): one fit to all bins, or a fit to
/// each, for features that change in time and for those that do not.

#include <cstddef>
#include <vector>

#include "metrics/regression_plan.hpp"

namespace ventral::metrics {

/// For features that are the same in every time bin, as a static model's are: the bins of `target`
/// lie beside one another, each to be fitted alone (`PerTime`).
RegressionPlan plan_beside_in_time(const core::Assembly& target,
                                   const CrossValidationOptions& options);

/// One fit to all bins (`SpanTimeRegression`): each bin of a presentation is a row of its own, the
/// presentations of the first bin, then those of the second. Splits are drawn on presentations.
RegressionPlan plan_spanning_time(const core::Assembly& target,
                                  const CrossValidationOptions& options);

/// One fit to all bins of such a plan (`SpanTimeRegression`). Features that repeat themselves in B
/// bins are fitted to the average of the bins: least squares with a penalty alpha become those with
/// alpha / B, and in PLS all that meets the features is the sum over the bins.
void average_over_time(RegressionPlan& plan);

/// One bin of such a plan by itself, or its bins below one another; with the same folds. For
/// features that change in time.
RegressionPlan at_time_bin(const RegressionPlan& beside, std::size_t bin);
RegressionPlan below_one_another(const RegressionPlan& beside);

/// The rows of a plan whose presentations have `rows`: those and, where bins lie below one another,
/// in each bin `stride` further on.
std::vector<std::size_t> in_every_time_bin(const RegressionPlan& plan,
                                           const std::vector<std::size_t>& rows,
                                           std::size_t stride);

}  // namespace ventral::metrics

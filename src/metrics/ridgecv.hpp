#pragma once
/// @file
/// The metrics "ridgecv" and "dual_ridgecv": correlation of recordings with their prediction by a
/// ridge regression that chooses its alpha by leave-one-out errors of the train rows.

#include <span>

#include "metrics/regression_fit.hpp"

namespace ventral::metrics {

/// Bump when a bit of such a score changes.
inline constexpr int ridgecv_version = 9;

/// Brain-Score's `ridge_cv_regression`, in float64; see `stats/regression/ridge_cv.hpp`. Works on
/// the features themselves where a fold has more train rows than there are features and they are at
/// hand, else on their Gram; if a Gram's guard is above `stats::guard_limit` then, they are fitted
/// with the alpha that it has chosen. Alphas: the options', or Brain-Score's list. Gives the chosen
/// alpha and `Margins::alpha_gap`.
std::vector<FoldFit> fit_ridgecv(const stats::Problem& problem,
                                 std::span<const stats::FoldRows> folds,
                                 const MetricOptions& options, core::Workers& workers);

/// Brain-Score's `DualRidgeCVRegression`: `fit_ridgecv` of the problem `for_dual_form`. The
/// reference computes the same function in another way: with n_train < p it chooses alpha by
/// leave-one-out errors on a square root of the kernel, which has the same kernel, and then solves
/// in the dual form as all of ours is.
std::vector<FoldFit> fit_dual_ridgecv(const stats::Problem& problem,
                                      std::span<const stats::FoldRows> folds,
                                      const MetricOptions& options, core::Workers& workers);

}  // namespace ventral::metrics

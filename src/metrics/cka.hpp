#pragma once
/// @file
/// The metrics "cka" and "cka_biased": alignment of the similarities between stimuli in the
/// features with those in the recordings.

#include <span>
#include <vector>

#include "core/workers.hpp"
#include "metrics/options.hpp"
#include "metrics/regression_plan.hpp"
#include "stats/folds/folds.hpp"

namespace ventral::metrics {

/// Bump when a bit of a score changes.
inline constexpr int cka_version = 4;
inline constexpr int cka_biased_version = 3;

/// Brain-Score's `CKA` over each fold's test rows: one value a fold, by `stats::cka`. Nothing is
/// fitted: train rows play no part. The kernel may be of any offset. NaN if a recording is;
/// features that are NaN have no Gram: in a run they are an error earlier on, `score_assemblies`
/// makes what they touch NaN. Throws `core::InputError` if a fold tests fewer than four rows.
std::vector<FoldResult> score_cka(const stats::Problem& problem,
                                  std::span<const stats::FoldRows> folds,
                                  const MetricOptions& options, core::Workers& workers);

/// Brain-Score's `CKA_BIASED`, the same with the biased estimate.
std::vector<FoldResult> score_cka_biased(const stats::Problem& problem,
                                         std::span<const stats::FoldRows> folds,
                                         const MetricOptions& options, core::Workers& workers);

}  // namespace ventral::metrics

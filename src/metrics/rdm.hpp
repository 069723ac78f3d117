#pragma once
/// @file
/// The metric "rdm": do the features tell the same stimuli apart as the recordings do.

#include <span>
#include <vector>

#include "core/workers.hpp"
#include "metrics/options.hpp"
#include "metrics/regression_plan.hpp"
#include "stats/folds/folds.hpp"

namespace ventral::metrics {

/// Bump when a bit of a score changes.
inline constexpr int rdm_version = 3;

/// Brain-Score's `RDMMetric` over each fold's test rows: Spearman's correlation of the strict upper
/// triangles of both dissimilarity matrices (`stats/similarity/rdm.hpp`), one value a fold; train
/// rows play no part. NaN if a row of either side is constant, a recording is NaN, all
/// dissimilarities of a side are equal, or there are fewer than three rows. Features that are NaN
/// have no Gram: in a run they are an error earlier on, `score_assemblies` makes what they touch
/// NaN. Margins: the smallest gap between two ranked dissimilarities, and the guard of the Gram
/// form.
///
/// The stimuli of `test` are to be in order of their ids, as the reference sorts them: in another
/// order dissimilarities that are equal but for their last bit can be ranked otherwise.
std::vector<FoldResult> score_rdm(const stats::Problem& problem,
                                  std::span<const stats::FoldRows> folds,
                                  const MetricOptions& options, core::Workers& workers);

}  // namespace ventral::metrics

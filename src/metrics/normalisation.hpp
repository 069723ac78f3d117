#pragma once
/// @file
/// What becomes of a raw score once the ceiling is known (NUMERICS section 10).

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/score.hpp"
#include "stats/similarity/correlation.hpp"

namespace ventral::metrics {

/// "explained_variance": value² / ceiling, unclipped, the sign lost. "ceil_score": value / ceiling.
/// "none": the value. Errors are copied unscaled by the reference, so there is nothing to do to
/// them. A NaN in gives NaN out. Throws `core::InputError` for another name, and for
/// `neuroid_wise`, which takes more than one number.
double normalise(const std::string& normalisation, double value, double ceiling);

inline constexpr const char* neuroid_wise = "neuroid_wise_explained_var";

/// Brain-Score's `neuroid_wise_explained_var`: r² / ceiling for each neuroid, with `ceiling.raw`
/// averaged over its splits (NaN skipped); `value` is the aggregate of them, by default the mean
/// (NaN skipped). A score of several splits, which the reference's benchmarks do not give to it, is
/// normalised split by split, as its arrays broadcast, and aggregated as a whole. `raw` of the
/// result holds the ceiled values; all else, the error included, is the score's, unscaled. Throws
/// `core::InputError` if a raw value is not that of a neuroid, or the neuroids of both are not the
/// same in the same order.
core::Score neuroid_wise_explained_var(
    const core::Score& score, const core::Score& ceiling,
    const std::function<double(std::span<const double>)>& aggregate = stats::nan_mean);

/// Of split × neuroid the mean over splits (NaN skipped); anything else as it is.
core::Assembly mean_over_splits(const core::Assembly& raw);

/// All by their names.
const std::vector<std::string>& normalisations();

}  // namespace ventral::metrics

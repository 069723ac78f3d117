#pragma once
/// @file
/// The ceiling "predictor_consistency": split-half consistency with halves drawn image by image,
/// for recordings that serve as predictors.

#include "core/assembly.hpp"
#include "core/score.hpp"
#include "core/workers.hpp"

namespace ventral::metrics {

/// Bump when a bit of this ceiling changes.
inline constexpr int predictor_consistency_version = 4;

/// Brain-Score's `SplitHalfPredictorConsistency` (NUMERICS section 9). Ten times: the distinct
/// repetitions of each image (`image_id`, else `stimulus_id`) that has at least two are dealt to
/// two halves by NumPy's `default_rng(0)`, one stream for all splits; rows of each half are
/// averaged (NaN skipped), correlated over images per neuroid, corrected by 2 r / (1 + r). Raw is
/// split × neuroid in stored order. Fewer than ten such images: NaN. Value: mean over splits of the
/// median over neuroids, error: their population standard deviation over √(number of finite ones);
/// NaN skipped. Exact but for rounding. Repetitions are whole numbers, of others the whole part, or
/// texts of whole numbers, as NumPy's `astype(int)` takes them; throws `core::InputError` for what
/// is none.
core::Score predictor_consistency(const core::Assembly& assembly, core::Workers& workers);

}  // namespace ventral::metrics

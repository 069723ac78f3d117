#pragma once
/// @file
/// The ceiling "internal_consistency": how well one half of the repetitions predicts the other.

#include <cstddef>
#include <string>

#include "core/assembly.hpp"
#include "core/score.hpp"
#include "core/workers.hpp"

namespace ventral::metrics {

/// Bump when a bit of this ceiling changes.
inline constexpr int internal_consistency_version = 2;

/// It takes so many repetitions at least.
inline constexpr std::size_t consistent_repetitions = 2;
/// What is thrown where there are fewer.
std::string too_few_repetitions(const std::string& name, std::size_t repetitions);

/// Brain-Score's `InternalConsistency` (NUMERICS section 9): ten random halves of the repetitions,
/// each averaged over its repetitions, correlated per neuroid, corrected by Spearman–Brown. Raw is
/// split × neuroid in sorted order of `neuroid_id`. NaN entries are skipped in the averages; a
/// stimulus that has no value in a half makes the neuroid NaN in that split.
/// Throws `core::InputError` if there are fewer than two repetitions or stimuli, or a stimulus has
/// no repetition in one of the halves.
core::Score internal_consistency(const core::Assembly& assembly, core::Workers& workers);

/// Throws as `internal_consistency` does for want of stimuli or of their repetitions, by the labels
/// of recordings alone.
void check_halves(const core::Assembly& labels);

/// `internal_consistency` of each time bin of presentation × neuroid × time_bin recordings; a score
/// per time bin (see `per_time.hpp`), raw time_bin × split × neuroid.
core::Score internal_consistency_temporal(const core::Assembly& assembly, core::Workers& workers);

}  // namespace ventral::metrics

#pragma once
/// @file
/// Ceilings of other recordings than those that are scored.

#include <optional>
#include <string>

#include "core/assembly.hpp"

namespace ventral::benchmarks {

/// In which stimuli and neuroids the repetitions that a ceiling is computed from are not those of
/// what is scored, by their labels: "lacks 2 of 3 stimulus_ids that are scored, has 1 neuroid_id
/// more". Nothing if they are the same. The reference computes such a ceiling without a word.
std::optional<std::string> unlike_recordings(const core::Assembly& scored,
                                             const core::Assembly& repetitions);

}  // namespace ventral::benchmarks

#pragma once
/// @file
/// The layers that a unit still needs, and in which forms.

#include <string>
#include <vector>

#include "core/time_bin.hpp"
#include "pipeline/inputs/recordings.hpp"
#include "pipeline/journal/finished.hpp"
#include "pipeline/plan/fit_parts.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::pipeline {

struct OpenLayer {
    std::string name;
    /// The bins of each of its Grams, see `gram_bins`; none: nothing is fitted to one.
    std::vector<core::TimeBins> grams = {{}};
    bool columns = false;  ///< a score looks at its features alone
};

/// Those of all scores that are not finished, in order of first use. Recordings that cannot be
/// scored need no Gram, nor of features that change in time those that are not prepared.
std::vector<OpenLayer> open_layers(const config::RunRecord& run, const PlannedUnit& unit,
                                   const Finished& finished, RecordingsReader& recordings,
                                   InTime in_time);

}  // namespace ventral::pipeline

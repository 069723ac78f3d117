#pragma once
/// @file
/// The layers that a unit still needs, and the Grams of each.

#include <string>
#include <vector>

#include "pipeline/fit_parts.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/recordings.hpp"
#include "pipeline/run_journal.hpp"

namespace ventral::pipeline {

struct OpenLayer {
    std::string name;
    /// The bins of each of its Grams, see `gram_bins`; none: nothing can be fitted to it.
    std::vector<std::vector<benchmarks::TimeBin>> grams = {{}};
};

/// Those of all scores that are not finished, in order of first use. Recordings that cannot be
/// scored need no Gram.
std::vector<OpenLayer> open_layers(const config::RunRecord& run, const PlannedUnit& unit,
                                   const Finished& finished, RecordingsReader& recordings,
                                   InTime in_time);

}  // namespace ventral::pipeline

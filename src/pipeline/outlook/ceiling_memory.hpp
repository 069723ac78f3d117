#pragma once
/// @file
/// What is known for plans of ceilings, which are computed before all units: what they take of
/// memory, and whether there are repetitions enough.

#include <string>
#include <vector>

#include "pipeline/outlook/estimate.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::pipeline {

struct FailingCeiling {
    std::string key;   ///< of the `PlannedCeiling`
    std::string text;  ///< a sentence
};

struct CeilingsEstimate {
    double memory_bytes = 0;              ///< of a node, whose ranks compute one each at a time
    std::string problem;                  ///< why they do not fit, or empty
    std::vector<FailingCeiling> failing;  ///< of repetitions that are too few or lack labels
};

/// The presentations that are selected, what reading a part of a file takes, what is known of each
/// presentation, and strips of sixteen neuroids, one for each worker. Files that cannot be read
/// take nothing, nor is there anything to `compute` of ceilings that are on disk already.
CeilingsEstimate estimate_ceilings(const config::RunRecord& run,
                                   const std::vector<PlannedCeiling>& compute,
                                   const NodeSize& node);

}  // namespace ventral::pipeline

#pragma once
/// @file
/// What one unit of a plan will need, by a look at its files and one batch through its network.

#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "pipeline/inputs/recordings.hpp"
#include "pipeline/plan/estimate.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::pipeline {

struct EstimateContext {
    const config::RunRecord& run;
    const NodeSize& node;
    const NeedsPasses& needs_passes;
    RecordingsReader& recordings;
};

/// Fills in all that follows from the unit's features, for the node and for others that it might
/// fit better. Returns the ids of the stimuli that they are of. Throws what makes all scores fail.
std::vector<std::string> estimate_unit(UnitEstimate& estimate, const PlannedUnit& unit,
                                       const EstimateContext& context);

}  // namespace ventral::pipeline

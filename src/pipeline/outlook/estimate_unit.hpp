#pragma once
/// @file
/// What one unit of a plan will need, by a look at its files and one batch through its network.

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/run_record.hpp"
#include "pipeline/inputs/recordings.hpp"
#include "pipeline/outlook/estimate.hpp"
#include "pipeline/outlook/probe.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::pipeline {

/// A network that another unit has been estimated with: it is loaded once for all stimuli.
struct ProbedNetwork {
    NetworkProbe probe;
    double extracting_bytes = 0;  ///< beside the program, until it has run for the first time
    double program_bytes = 0;     ///< of the program afterwards
};
/// By model, in the run, and layers.
using ProbedNetworks = std::map<std::pair<std::size_t, std::vector<std::string>>, ProbedNetwork>;

struct EstimateContext {
    const config::RunRecord& run;
    const Finished& finished;
    const NodeSize& node;
    const NeedsPasses& needs_passes;
    RecordingsReader& recordings;
    ProbedNetworks& probed;
};

/// Fills in all that follows from the unit's features, for the node and for others that it might
/// fit better. Returns the ids of the stimuli that they are of. Throws what makes all scores fail.
std::vector<std::string> estimate_unit(UnitEstimate& estimate, const PlannedUnit& unit,
                                       const EstimateContext& context);

}  // namespace ventral::pipeline

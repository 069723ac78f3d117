#pragma once
/// @file
/// What the units of a run share beside their team.

#include <map>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "pipeline/extraction/network_trials.hpp"
#include "pipeline/fit/ceilings.hpp"
#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/inputs/input_truth.hpp"
#include "pipeline/inputs/recordings.hpp"
#include "pipeline/journal/failure_log.hpp"
#include "pipeline/journal/finished.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::pipeline {

struct UnitInputs {
    const config::RunRecord& run;
    RecordingsReader& recordings;
    const std::map<std::string, CeilingOutcome>& ceilings;
    const InputFacts& facts;
    const Finished& finished;
    NetworkTrials& network_trials;                     ///< of networks that are about to be run
    InputTruth* truth = nullptr;                       ///< of the files; may be none
    FailureLog::ToldReasons* told_failures = nullptr;  ///< of earlier units; may be none
    /// Units after the one in work that need some of its activations, which are not discarded then.
    std::vector<const PlannedUnit*> later = {};
};

}  // namespace ventral::pipeline

#pragma once
/// @file
/// One unit from beginning to end: activations, Grams, fits, records.

#include <map>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "pipeline/extraction/network_trials.hpp"
#include "pipeline/fit/ceilings.hpp"
#include "pipeline/inputs/input_truth.hpp"
#include "pipeline/inputs/recordings.hpp"
#include "pipeline/journal/finished.hpp"
#include "pipeline/journal/run_journal.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

/// What the units of a run share.
struct UnitInputs {
    const config::RunRecord& run;
    RecordingsReader& recordings;
    const std::map<std::string, CeilingOutcome>& ceilings;
    const InputFacts& facts;
    const Finished& finished;
    NetworkTrials& network_trials;  ///< of networks that are about to be run
    InputTruth* truth = nullptr;    ///< of the files; may be none
    /// Units after the one in work that need some of its activations, which are not discarded then.
    std::vector<const PlannedUnit*> later = {};
};

/// Scores a unit: everything that is not finished, each score into the journal when it is done. A
/// failure becomes the record of the scores that it concerns; the others go on. Throws only
/// `core::Interrupted`, and what ends the whole run (the journal cannot be written). Collective.
void score_unit(const PlannedUnit& unit, const UnitInputs& inputs, RunJournal* journal,
                TeamContext& context);

}  // namespace ventral::pipeline

#pragma once
/// @file
/// One unit from beginning to end: activations, Grams, fits, records.

#include "pipeline/fit/unit_inputs.hpp"
#include "pipeline/journal/run_journal.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

/// Scores a unit: everything that is not finished, each score into the journal when it is done. A
/// failure becomes the record of the scores that it concerns; the others go on. Throws only
/// `core::Interrupted`, and what ends the whole run (the journal cannot be written). Collective.
void score_unit(const PlannedUnit& unit, const UnitInputs& inputs, RunJournal* journal,
                TeamContext& context);

}  // namespace ventral::pipeline

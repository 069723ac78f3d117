#pragma once
/// @file
/// All units of a run: which team takes which, and what the journal and the trace of crashes are
/// told of it.

#include <functional>

#include "comm/communicator.hpp"
#include "pipeline/journal/finished.hpp"
#include "pipeline/journal/run_journal.hpp"
#include "pipeline/journal/unit_history.hpp"
#include "pipeline/schedule/containment.hpp"
#include "pipeline/schedule/team_context.hpp"
#include "pipeline/unit.hpp"

namespace ventral::pipeline {

struct UnitsOfRun {
    const OpenUnits& open;
    const UnitHistories& histories;
    /// What is finished of a unit by now, read anew. For the first rank of a team.
    std::function<Finished(const PlannedUnit&)> finished_now;
};

/// Scores the units that are not left out: those that may have company first, in turn to whichever
/// team asks, then the others one by one. One that another run with the same OUT is at comes when
/// that has ended, or nobody has recorded anything for too long (`Patience`). `journal` is that
/// of the team's first rank, nothing on the others. Throws `core::Interrupted` on all ranks if any
/// was interrupted, and what `score_unit` throws. Collective over the world.
void score_units(const UnitsOfRun& units, const UnitInputs& inputs, RunJournal* journal,
                 comm::Communicator& world, TeamContext& context);

}  // namespace ventral::pipeline

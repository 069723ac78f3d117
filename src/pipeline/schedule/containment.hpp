#pragma once
/// @file
/// How a unit that ends its jobs is kept from costing the others: it is run alone after them, and
/// left out when it does so again. `unit_history.hpp` says when.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/run_record.hpp"
#include "pipeline/journal/finished.hpp"
#include "pipeline/journal/run_journal.hpp"
#include "pipeline/journal/unit_history.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

/// The units that have open scores.
struct OpenUnits {
    /// The longest first: by the seconds that a plan has recorded for them, where none has by cost,
    /// on the scale of those.
    std::vector<PlannedUnit> together;
    std::vector<PlannedUnit> alone;  ///< one after the other, when all others are done
    std::vector<PlannedUnit> left_out;

    bool has_work() const { return !together.empty() || !alone.empty(); }
};

OpenUnits open_units(const RunPlan& plan, const Finished& finished, const UnitHistories& histories);

/// Why a run takes the unit no more, until --retry-failed or with no more memory than it had;
/// nothing if it does.
std::optional<std::string> reason_left_out(const config::RunRecord& run, const PlannedUnit& unit,
                                           const UnitHistories& histories);

/// "squeezenet1_0 on v4_201016".
std::string unit_name(const config::RunRecord& run, const PlannedUnit& unit);

/// What the units' histories are called in the log, and in the records of scores left out.
struct Accused {
    const config::RunRecord& run;
    const Finished& finished;
    const UnitHistories& histories;
};

/// Records the open scores of units that are left out as crashed, timed out or out of memory, and
/// says in the log which units are run alone and why. For the first rank of the world.
void record_left_out(const OpenUnits& units, const Accused& accused, RunJournal& journal,
                     const TeamContext& context);

/// Says in the log which of the units that are open here another run is at.
void tell_units_elsewhere(const OpenUnits& units, const config::RunRecord& run,
                          const UnitHistories& histories);

/// 0 … count-1 one after the other to the team of the world's first rank, while all others wait.
/// What is interrupted there is so on all ranks. Collective over the world.
void one_by_one(std::size_t count, comm::Communicator& world, comm::Communicator& team,
                const std::function<void(std::size_t)>& work);

}  // namespace ventral::pipeline

#pragma once
/// @file
/// What every stage of a unit works with: the ranks of its team, their workers, where results go.

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "core/workers.hpp"
#include "pipeline/journal/unit_history.hpp"
#include "pipeline/schedule/kept_files.hpp"
#include "pipeline/watch/crash_trace.hpp"
#include "pipeline/watch/hang_watch.hpp"
#include "pipeline/watch/memory_bound.hpp"
#include "pipeline/watch/progress.hpp"
#include "pipeline/watch/stage_clock.hpp"
#include "pipeline/watch/stop.hpp"

namespace ventral::pipeline {

class ActivationsBudget;
class OtherRuns;
class WorkAhead;

struct TeamContext {
    /// The ranks of one node (of all nodes for `ventral extract`); its rank 0 reads and writes for
    /// the others.
    comm::Communicator& team;
    core::Workers& workers;
    const StopRequest& stop;
    Progress& progress;
    int world_rank = 0;

    // What the run is to do.
    std::string out = {};          ///< the output folder
    std::string fingerprint = {};  ///< of numerics and torch, agreed by all ranks
    std::map<std::string, std::string> provenance = {};  ///< what all records of the run say
    KeptFiles kept = {};
    std::optional<double> unit_timeout = {};  ///< seconds; none: `default_unit_timeout`

    // What this process may take.
    std::function<double()> peak_memory = {};  ///< in bytes; may be empty
    MemoryBound memory_bound = {};

    // What goes with this rank through the run; none of it has to be there.
    StageClock* clock = nullptr;
    HangWatch* watch = nullptr;
    CrashTrace* trace = nullptr;
    WorkAhead* ahead = nullptr;
    OtherRuns* others = nullptr;                      ///< that share OUT
    ActivationsBudget* activations_budget = nullptr;  ///< of OUT/activations
    const UnitHistories* histories = nullptr;         ///< of units and ceilings
    /// Called on the first rank, perhaps also on others, when a checkpoint of the unit in work has
    /// been made.
    std::function<void()> checkpointed = {};

    MemoryShare memory_share() const {
        return {memory_bound, static_cast<std::size_t>(team.size()), workers.threads()};
    }

    /// Says that the unit in work is not stuck; for what takes long and gives the workers nothing.
    void got_on() const {
        if (watch) watch->got_on();
        workers.interlude();
    }
    bool leads() const { return team.rank() == 0; }
    /// What the main thread does counts as `stage` while the result lives.
    [[nodiscard]] StageClock::Timed time(Stage stage) const { return {clock, stage}; }
};

}  // namespace ventral::pipeline

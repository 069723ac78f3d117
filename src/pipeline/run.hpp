#pragma once
/// @file
/// The main job: everything of a run's shard that is not finished, on all ranks.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/run_record.hpp"
#include "core/workers.hpp"
#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/journal/finished.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/schedule/kept_files.hpp"
#include "pipeline/schedule/team_context.hpp"
#include "pipeline/watch/memory_bound.hpp"

namespace ventral::pipeline {

struct RunOptions {
    std::string out;
    Shard shard;
    std::optional<double> max_seconds;
    KeptFiles kept;
    ResumeChoices resume;
    std::set<std::string> only;  ///< keys of the scores to compute; none: all that are planned
    std::map<std::string, std::string> provenance;  ///< version, commit, host …
    std::function<double()> peak_memory;            ///< of this process, in bytes
    MemoryBound memory_bound;                       ///< of this process
    /// Seconds without progress, 0: no limit; none: `default_unit_timeout`.
    std::optional<double> unit_timeout;
    NetworkTrial network_trial;
    std::string hashes;  ///< file of the `HashCache`; empty: the one in `out`
    HashCache::Trust trust_hashes = HashCache::Trust::yes;
};

struct RunResult {
    std::size_t scored = 0;  ///< of this shard, before or now
    std::size_t failed = 0;  ///< also of those that could not be computed again
    std::size_t open = 0;    ///< not done because of a request to stop
    bool interrupted = false;
    bool recorded = false;  ///< the next run will find something that was not there at the start
    bool only_ceilings = false;  ///< that is all of it
    /// What `all_planned` makes records of, of all scores of the run.
    std::shared_ptr<const InputFacts> facts;
    /// Keys of this shard's scores that were scored when this run began.
    std::vector<std::string> finished_before;
    bool others_at_work = false;  ///< on other shards of the run; only the first rank knows
};

/// Scores what is missing; the same result on every rank, but for what the first alone knows. A
/// rank's fingerprint that differs from the others' is an error. Collective.
RunResult run(const config::RunRecord& record, const RunOptions& options, comm::Communicator& world,
              core::Workers& workers);

}  // namespace ventral::pipeline

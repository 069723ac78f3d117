#pragma once
/// @file
/// What a run would do and take, as far as can be told before.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "node_memory.hpp"
#include "pipeline/fit/ceilings.hpp"
#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/outlook/ceiling_memory.hpp"
#include "pipeline/outlook/estimate.hpp"
#include "pipeline/outlook/explain.hpp"
#include "pipeline/outlook/few_features.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/schedule/kept_files.hpp"
#include "plan_cost.hpp"

namespace ventral::jobs {

/// Inputs and places of a plan.
struct OutlookRequest {
    const config::RunRecord& run;
    const pipeline::InputFacts& facts;
    const pipeline::RunPlan& plan;
    NodeMemory memory;
    std::size_t ranks = 1;    ///< on a node
    std::size_t threads = 1;  ///< of each
    std::string out;          ///< of earlier runs; empty: there are none
    std::string calibration;  ///< folder of earlier runs that were on the machine to tell of
    pipeline::KeptFiles kept;
    bool calibrate = false;
    bool explain = false;
};

/// What becomes of the scores of a plan.
struct ScoreCounts {
    std::size_t scored = 0;  ///< by earlier runs
    std::size_t failed = 0;  ///< likewise, and not tried again
    std::size_t to_compute = 0;
    std::size_t impossible = 0;  ///< those that will fail, as far as that is foreseen

    std::size_t all() const { return scored + failed + to_compute + impossible; }
};

struct Outlook {
    ScoreCounts scores;
    pipeline::CeilingsToDo ceilings;
    pipeline::CeilingsEstimate ceilings_memory;
    std::vector<pipeline::UnitEstimate> units;  ///< as the plan has them
    std::size_t scores_in_tables = 0;           ///< of this plan and of what else is in `out`
    PlanCost cost;
    std::vector<pipeline::FewFeatures> few;             ///< scores that lack features
    double disk_bytes = 0;                              ///< that the run needs
    std::optional<double> free_bytes;                   ///< of disk, if known
    double discarded_bytes = 0;                         ///< of disk, that the run frees first
    std::string full_disk;                              ///< why that is not enough; or empty
    std::vector<pipeline::ScoreExplanation> explained;  ///< if that was asked for
};

/// Probes networks and reads what is recorded; with `calibrate` it measures this machine first.
Outlook outlook_of(const OutlookRequest& request);

bool all_can_run(const OutlookRequest& request, const Outlook& outlook);
/// Whether a score is there already, or a unit that can run has scores with a ceiling, for which
/// there are features enough.
bool some_can_run(const OutlookRequest& request, const Outlook& outlook);

/// Why scores cannot be computed whatever the machine, to the log.
void log_impossible(const pipeline::RunPlan& plan);
/// All other errors and warnings.
void log_problems(const OutlookRequest& request, const Outlook& outlook);
/// The rest, on stdout.
void print(const OutlookRequest& request, const Outlook& outlook);
void print_json(const OutlookRequest& request, const Outlook& outlook);

}  // namespace ventral::jobs

#pragma once
/// @file
/// Which scores a run is to compute, and how it stands with them.

#include <set>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "core/score.hpp"
#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/journal/finished.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/run.hpp"

namespace ventral::pipeline {

/// What the plan says of all scores of the run, of every shard. A record takes more memory than
/// all else that is known of a score, so that they should be made late.
std::vector<core::ScoreRecord> all_planned(const config::RunRecord& record,
                                           const InputFacts& facts);

/// Their keys.
std::set<std::string> all_keys(const config::RunRecord& record, const InputFacts& facts);

/// Leaves of the plan what belongs to the scores of these keys.
void keep_only(RunPlan& plan, const std::set<std::string>& keys, const config::RunRecord& record,
               const InputFacts& facts);

std::set<std::string> score_keys_of(const RunPlan& plan);

/// Keys of the plan's scores that have a value already.
std::vector<std::string> scored_before(const RunPlan& plan, const Finished& finished);

/// Counts the scores of the plan, of which those of the keys `failed` have failed whatever is
/// finished.
void count_results(RunResult& result, const RunPlan& plan, const Finished& finished,
                   const std::set<std::string>& failed);

}  // namespace ventral::pipeline

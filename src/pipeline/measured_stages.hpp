#pragma once
/// @file
/// What the stages of a plan's units took in an earlier run: what `simulate_job` starts from.

#include <vector>

#include "config/run_record.hpp"
#include "core/score.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/simulate_job.hpp"

namespace ventral::pipeline {

/// The units of which `records` have scores with times; `serial` is not in records and stays 0. The
/// fold groups of a score are taken to be equally long. Throws `core::InputError` if a record is of
/// more than one rank or thread: its seconds are not those of one worker.
std::vector<UnitStages> measured_stages(const config::RunRecord& run, const InputFacts& facts,
                                        const RunPlan& plan,
                                        const std::vector<core::ScoreRecord>& records);

}  // namespace ventral::pipeline

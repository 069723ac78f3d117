#pragma once
/// @file
/// What the stages of a plan's units took in an earlier run: what `simulate_job` starts from.

#include <optional>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "core/score.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/simulation/simulate_job.hpp"

namespace ventral::pipeline {

/// The units of which `records` have scores with times; `serial` is not in records and stays 0. The
/// fold groups of a score are taken to be equally long. Throws `core::InputError` if a record is of
/// more than one rank or thread: its seconds are not those of one worker.
std::vector<UnitStages> measured_stages(const config::RunRecord& run, const InputFacts& facts,
                                        const RunPlan& plan,
                                        const std::vector<core::ScoreRecord>& records);

/// What a job of one worker took beside its units.
struct JobStages {
    std::vector<double> ceilings;  ///< taken to be equally long
    double rest = 0;               ///< trials of networks, journal, what no stage has
};

/// As the journal of its folder tells, of whose plan `units` are; nothing unless it tells of one
/// start alone.
std::optional<JobStages> measured_job(const std::vector<std::string>& journal, const RunPlan& plan,
                                      const std::vector<UnitStages>& units);

}  // namespace ventral::pipeline

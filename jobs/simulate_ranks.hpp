#pragma once
/// @file
/// `ventral plan --simulate-ranks`: one job on one node with other numbers of ranks.

#include <cstddef>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "format.hpp"
#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/outlook/calibration.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::jobs {

/// An earlier run of one worker, and what it took before and after what its journal tells of: its
/// start, its tables.
struct MeasuredRun {
    std::string out;
    double start_seconds = 0;
    /// Of the machine: how much its cores slow each other down.
    pipeline::Calibration calibration;
};

/// Prints what the job would take; returns the exit code. Throws `core::InputError`.
int simulate_ranks(const std::vector<std::size_t>& ranks, const MeasuredRun& measured,
                   const config::RunRecord& run, const pipeline::InputFacts& facts,
                   const pipeline::RunPlan& plan, Format format);

}  // namespace ventral::jobs

#pragma once
/// @file
/// What the subcommands that score share before they begin.

#include <string>

#include "comm/communicator.hpp"
#include "config/run_record.hpp"
#include "core/workers.hpp"
#include "pipeline/run.hpp"

namespace ventral::jobs {

/// Logs ranks, threads, the kernels in use and how fast they are. Collective.
void report_speed(core::Workers& workers, comm::Communicator& world);

/// What every run of this program into the folder `out` is given: what its records say of the
/// program and of where it runs, the memory in use, and the trial of networks.
pipeline::RunOptions run_options(const config::RunRecord& run, const std::string& out);

inline constexpr const char* goes_on = "the same command goes on from here";
inline constexpr const char* begins_anew =
    "with --recompute the same command begins anew, but in a job that Slurm has requeued";

/// The exit code of a run that was stopped, after a line that says what to do now; `next` is what
/// the same command would do.
int tell_of_stop(const pipeline::RunResult& result, const comm::Communicator& world,
                 const std::string& next = goes_on);

}  // namespace ventral::jobs

#pragma once
/// @file
/// What the subcommands that score share before they begin.

#include <map>
#include <string>

#include "comm/communicator.hpp"
#include "config/run_record.hpp"
#include "core/workers.hpp"

namespace ventral::jobs {

/// Logs ranks, threads, the kernels in use and how fast they are. Collective.
void report_speed(core::Workers& workers, comm::Communicator& world);

/// What all records of a run say of the program and of where it runs.
std::map<std::string, std::string> provenance_of(const config::RunRecord& run);

}  // namespace ventral::jobs

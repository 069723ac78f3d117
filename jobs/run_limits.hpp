#pragma once
/// @file
/// The options of the subcommands that score which bound memory and time.

#include <string>

#include <CLI/CLI.hpp>

#include "pipeline/run.hpp"

namespace ventral::jobs {

struct RunLimits {
    std::string memory;  ///< for `limit_memory`
    std::string max_time;
    std::string unit_timeout;
};

/// --memory, --max-time and --unit-timeout.
void add_limit_options(CLI::App& app, RunLimits& limits);

/// Those of time; that of memory is for `limit_memory`. Throws `core::InputError` that names the
/// option if one of the three is wrong.
void set_limits(const RunLimits& limits, pipeline::RunOptions& options);

}  // namespace ventral::jobs

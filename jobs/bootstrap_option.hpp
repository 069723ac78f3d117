#pragma once
/// @file
/// --bootstrap of the subcommands that compute one score.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "core/score.hpp"

namespace ventral::jobs {

void add_bootstrap_option(CLI::App& subcommand, std::vector<std::string>& dimensions);

/// Adds `metrics::bootstrap_error` of the raw values over these dimensions, unless there are none,
/// to the score's further numbers. Throws `core::InputError` if the raw values lack one of them.
void add_bootstrap_error(const std::vector<std::string>& dimensions, core::Score& score);

}  // namespace ventral::jobs

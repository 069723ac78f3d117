#pragma once
/// @file
/// The leaderboard on stdout, as `ventral run` and `ventral report` end.

#include "leaderboard/records.hpp"

namespace ventral::jobs {

/// The text for people, as wide as the terminal, or 120 characters where stdout is none; the
/// night's warnings and conflicts go to stderr.
void print_leaderboard(const leaderboard::Night& night);

/// Warnings and conflicts alone.
void log_problems(const leaderboard::Night& night);

}  // namespace ventral::jobs

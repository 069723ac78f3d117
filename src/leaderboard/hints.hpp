#pragma once
/// @file
/// What scores that look wrong mostly mean.

#include <string>
#include <vector>

#include "core/score.hpp"

namespace ventral::leaderboard {

/// One line for each benchmark with a ceiling that is above 1 or not above 0, one for each with
/// ceiled scores above 1, and one for each with negative raw scores.
std::vector<std::string> hints(const std::vector<core::ScoreRecord>& records);

}  // namespace ventral::leaderboard

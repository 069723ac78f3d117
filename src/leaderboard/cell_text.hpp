#pragma once
/// @file
/// Numbers of a score as people read them: four decimals, not all digits.

#include <optional>
#include <string>

#include "core/score.hpp"

namespace ventral::leaderboard {

/// "0.5000", "nan"; very large and very small numbers in their shortest form; "-" for none.
std::string rounded(const std::optional<double>& number);

/// "0.5000 ± 0.0100", without the second part if there is no error.
std::string rounded(const std::optional<double>& value, const std::optional<double>& error);

/// The score ± error, or the status of a score that has no value.
std::string score_text(const core::ScoreRecord& record);

std::string ceiling_text(const core::ScoreRecord& record);

/// The benchmark with what tells it apart: " v2" for another version than 1.
std::string benchmark_text(const core::ScoreRecord& record);

}  // namespace ventral::leaderboard

#pragma once
/// @file
/// What `--set` had changed of the runs that records are of.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/score.hpp"

namespace ventral::leaderboard {

/// The entry of a record's provenance.
inline constexpr const char* settings_entry = "settings";

/// "metric.splits=3; seed=1", or "none": what the entry says.
std::string settings_text(const std::vector<std::string>& settings);

/// One warning of the records without those of the keys `planned` whose entry is another than
/// `settings`: how many they are, and what one of them has. Nothing if there are none; records
/// without the entry, of older versions of the program, count as being of no other settings.
std::optional<std::string> other_settings(const std::vector<core::ScoreRecord>& records,
                                          const std::set<std::string>& planned,
                                          const std::string& settings);

}  // namespace ventral::leaderboard

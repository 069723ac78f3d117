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

/// "metric.splits=3; seed=1" in alphabetical order, or "none": what the entry says.
std::string settings_text(std::vector<std::string> settings);

/// One warning of records whose entries are not all the same: each entry, and how many have it.
/// Records of the keys `planned`, which a run has found or computed, count as of its `settings`
/// whatever they say; those without the entry, of older versions of the program, do not count.
std::optional<std::string> mixed_settings(const std::vector<core::ScoreRecord>& records,
                                          const std::set<std::string>& planned = {},
                                          const std::string& settings = {});

}  // namespace ventral::leaderboard

#pragma once
/// @file
/// What is asked of a record of a score everywhere here, and the latest one of each name.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/score.hpp"

namespace ventral::leaderboard {

/// "model M on benchmark B, layer L", without a layer where none could be chosen.
std::string score_name(const core::ScoreRecord& record);

/// When a record was written, later times being later as texts; empty where that was not kept.
std::string time_of(const core::ScoreRecord& record);

/// Whether it says where on the leaderboard it stands; one of a scores.csv does not.
bool has_place(const core::ScoreRecord& record);

/// Scored or not applicable.
bool is_done(const core::ScoreRecord& record);

using RecordOfName = std::map<std::string, const core::ScoreRecord*>;

/// Of the records that count, by `score_name`: the latest one (`time_of`), of several of one time
/// the last. `records` must outlive what is returned.
RecordOfName latest_of_each_name(const std::vector<core::ScoreRecord>& records,
                                 const std::function<bool(const core::ScoreRecord&)>& counts);

}  // namespace ventral::leaderboard

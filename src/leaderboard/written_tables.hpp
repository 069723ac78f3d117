#pragma once
/// @file
/// The tables of an earlier time, read back.

#include <string>
#include <vector>

#include "core/score.hpp"

namespace ventral::leaderboard {

/// What `folder`/scores.json lists: names, status and places on the leaderboard of its records, and
/// the run file that asked for them; all else, which takes most of the memory, is left out. Throws
/// `InputError` if there is none or it cannot be read.
std::vector<core::ScoreRecord> current_scores(const std::string& folder);

/// The same; none if there is no such file. Of a damaged one, with a warning, those of
/// `folder`/scores.csv, which tells no place on the leaderboard. Throws `TransientError` if it
/// cannot be read now.
std::vector<core::ScoreRecord> listed_scores(const std::string& folder);

/// When the tables of a folder were written, as records tell it; empty if nobody knows.
std::string time_of_tables(const std::string& folder);

/// The scores that a folder stands for: those of its scores.json, else of its scores.csv (without
/// provenance, normalisation and reasons), else of its journal. Throws `InputError` if it has none
/// of them.
std::vector<core::ScoreRecord> earlier_scores(const std::string& folder);

}  // namespace ventral::leaderboard

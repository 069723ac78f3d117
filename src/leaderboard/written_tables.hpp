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

/// Gives the records that are `listed` the place on the leaderboard at which they are: a journal
/// has the one at which they were scored.
void take_listed_places(std::vector<core::ScoreRecord>& records,
                        const std::vector<core::ScoreRecord>& listed);

/// Leaves only the records whose key is `listed`, with the listed place on the leaderboard, and
/// adds as pending what is listed so, or as scored, and in no journal: a journal also has the
/// scores of models and benchmarks that have changed since, and a run's own tables say which are of
/// today.
void keep_listed(std::vector<core::ScoreRecord>& records,
                 const std::vector<core::ScoreRecord>& listed);

}  // namespace ventral::leaderboard

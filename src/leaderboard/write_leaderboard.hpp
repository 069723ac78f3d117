#pragma once
/// @file
/// The scores as files for other programs: scores.csv, scores.json and scores.nc.

#include <string>

#include "leaderboard/records.hpp"

namespace ventral::leaderboard {

/// Writes `out_folder`/scores.csv, scores.json and, if any record has raw values, scores.nc, which
/// holds a group for each (`for_each_raw_assembly`); without any a scores.nc of an earlier time is
/// removed. Each file is replaced as a whole, also after a crash; where all say the same already
/// they get the time of now. scores.nc has the time of scores.json and says which one it is of,
/// unless values are missing in it, so that it is not written again. Makes the folder if need be,
/// and removes what writers that were killed have left of such files.
/// Raw values that cannot be read are logged as warnings, and so is why there is no scores.nc where
/// it is not the disk that fails. Throws `OutputError` if it cannot write.
void write_leaderboard(const std::string& out_folder, const Night& night);

}  // namespace ventral::leaderboard

#pragma once
/// @file
/// The scores as files for other programs: scores.csv, scores.json and scores.nc.

#include <string>

#include "leaderboard/records.hpp"

namespace ventral::leaderboard {

/// The columns model, benchmark, version, layer, slice, status, value, error, raw_value, ceiling,
/// ceiling_error, key; one line per record in the order of `sort_records`, all digits, empty for
/// what is absent and "nan" for NaN. A score that is a vector has a line for the whole, then one
/// for each slice, with the same key. Equal scores give equal bytes.
std::string scores_csv(const Night& night);

/// A JSON array of the full records (`io::to_json`) in the same order, one a line. The files of raw
/// values are named relative to `out_folder`.
std::string scores_json(const Night& night, const std::string& out_folder);

/// What a run's first rank may need for each score that the tables have, with what it knows of the
/// plan, while it makes them: of 20,000 scores 11 kB. Scores in time bins take more.
inline constexpr double table_bytes_a_score = 11.5e3;

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

#pragma once
/// @file
/// The scores as texts for other programs: what scores.csv and scores.json hold.

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

}  // namespace ventral::leaderboard

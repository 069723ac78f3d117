#pragma once
/// @file
/// The journal's lines of kind `labels`: the coordinates that raw arrays share, along neuroid and,
/// where there are time bins, along time_bin.

#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::leaderboard {

/// The coordinates of {"coords": {name: {"dim": …, "values": […]}, …}} (neuroid if no dimension is
/// stated): strings, int64 if all are integers, else float64 (`io/text/json_number.hpp`). Throws
/// `InputError` for anything else.
std::vector<core::Coordinate> coordinates_from_json(const std::string& json);

}  // namespace ventral::leaderboard

#pragma once
/// @file
/// The journal's lines of kind `labels`: the coordinates along neuroid that raw arrays share.

#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::leaderboard {

/// The coordinates of {"coords": {name: {"values": […]}, …}}: strings, int64 if all are integers,
/// else float64 with null as NaN and "inf", "-inf". Throws `InputError` for anything else.
std::vector<core::Coordinate> labels_from_json(const std::string& json);

}  // namespace ventral::leaderboard

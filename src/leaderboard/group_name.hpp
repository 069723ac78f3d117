#pragma once
/// @file
/// Readable and unique names for the groups of a netCDF file.

#include <set>
#include <string>

#include "core/score.hpp"

namespace ventral::leaderboard {

/// model__benchmark__layer; every character but ASCII letters, digits, '-', '.' and '_' (and the
/// first but letters, digits and '_') becomes '_', long names are cut. A name that is in `taken`
/// gets __2, __3 …; the result is added to `taken`.
std::string group_name(const core::ScoreRecord& record, std::set<std::string>& taken);

}  // namespace ventral::leaderboard

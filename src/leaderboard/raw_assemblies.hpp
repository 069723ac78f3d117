#pragma once
/// @file
/// Raw scores as labelled arrays.

#include <functional>
#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "leaderboard/records.hpp"

namespace ventral::leaderboard {

/// Gives `take` one assembly after the other, which alone is in memory, for each record with raw
/// values: split × neuroid, split × time_bin × neuroid, neuroid or split, named by `group_name`,
/// with the reference's coordinate `split` (0, 1, …) and the labels of neuroids and time bins;
/// attributes model, benchmark, layer, key, value, error, ceiling. Values that cannot be read are
/// taken from another line of the journal for the same score if there is one; else they and labels
/// of another length are left out. Returns warnings of those.
std::vector<std::string> for_each_raw_assembly(
    const Night& night, const std::function<void(const core::Assembly&)>& take);

}  // namespace ventral::leaderboard

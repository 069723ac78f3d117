#pragma once
/// @file
/// What has changed since an earlier night, for people and for programs.

#include <string>

#include "leaderboard/night_diff.hpp"

namespace ventral::leaderboard {

/// A line per change, "changed  model M on benchmark B, layer L: 0.5000 -> 0.6000 (+0.1000), model
/// changed", and as the last one "1 changed, 2 new; 7 as before". `earlier` is what the first line
/// says it is since.
std::string night_diff_text(const NightDiff& diff, const std::string& earlier);

/// {"since", "counts": {kind: number, "unchanged", "still failed"}, "changes": [{"kind", "model",
/// "benchmark", "layer", "before", "now": {"version", "status", "value", "key"} or null,
/// "difference", "same_key", "reason"}]}, all digits, NaN as null; "difference" only where both
/// have a value.
std::string night_diff_json(const NightDiff& diff, const std::string& earlier);

}  // namespace ventral::leaderboard

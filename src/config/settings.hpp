#pragma once
/// @file
/// What the command line changes of a run's configuration (`--set KEY=VALUE`).

#include <string>
#include <vector>

#include "config/run_record.hpp"

namespace ventral::config {

/// KEY is `seed`, `normalisation` (of every benchmark), or `metric.PARAMETER`: a parameter of every
/// benchmark's metric, by the name that it has in a benchmark's TOML. VALUE is TOML; a bare word is
/// a text. Their order does not matter: the parameters are read together. Keys of scores change
/// accordingly. What changes anything is noted down in `run.settings`. Throws `InputError` that
/// begins with the setting, also for a key that is set twice and for a parameter that no metric of
/// the run takes; some of the settings may have been applied then.
void apply_settings(RunRecord& run, const std::vector<std::string>& settings);

}  // namespace ventral::config

#pragma once
/// @file
/// What the command line changes of a run's configuration (`--set KEY=VALUE`).

#include <string>

#include "config/run_record.hpp"

namespace ventral::config {

/// KEY is `seed`, `normalisation` (of every benchmark), or `metric.PARAMETER`: a parameter of every
/// benchmark's metric, by the name that it has in a benchmark's TOML. VALUE is TOML; a bare word is
/// a text. Keys of scores change accordingly. It is noted down in `run.settings`; a key is set once. Throws
/// `InputError` that begins with the setting, which is not noted then.
void apply_setting(RunRecord& run, const std::string& setting);

}  // namespace ventral::config

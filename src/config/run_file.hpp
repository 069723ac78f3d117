#pragma once
/// @file
/// Reads a run file together with all that it names.

#include <string>

#include "config/places.hpp"
#include "config/run_record.hpp"

namespace ventral::config {

/// The run that the TOML file `path` describes. Every record beside it is read and must be right,
/// whether the run names it or not. Throws `InputError` with file:line:column.
RunRecord read_run(const std::string& path, const ConfigPlaces& places);

}  // namespace ventral::config

#pragma once
/// @file
/// Reads a run file together with all that it names.

#include <string>

#include "config/places.hpp"
#include "config/run_record.hpp"

namespace ventral::config {

/// The run that the TOML file `path` describes. Every record beside it is read; those that are
/// wrong are left out, and unknown where the run names them. Throws `InputError` with
/// file:line:column.
RunRecord read_run(const std::string& path, const ConfigPlaces& places);

}  // namespace ventral::config

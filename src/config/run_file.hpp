#pragma once
/// @file
/// Reads a run file together with all that it names.

#include <string>
#include <vector>

#include "config/places.hpp"
#include "config/run_record.hpp"

namespace ventral::config {

/// What of a run is wanted: models and benchmarks by name; empty: all.
struct PartOfRun {
    std::vector<std::string> models, benchmarks;
};

/// The run that the TOML file `path` describes, of which `wanted` is all that need be there: the
/// records beside it are read, and those that are wrong are left out. Models and benchmarks among
/// those that the run names are in it with their `problem`, if of those that are wanted some have
/// none: one wrong file costs what it defines. Throws `InputError` with file:line:column.
RunRecord read_run(const std::string& path, const ConfigPlaces& places,
                   const PartOfRun& wanted = {});

}  // namespace ventral::config

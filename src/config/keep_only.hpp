#pragma once
/// @file
/// The part of a run that the command line asks for.

#include <string>
#include <vector>

#include "config/run_record.hpp"

namespace ventral::config {

/// Keeps the named models (--models) and benchmarks (--benchmarks) in the run's order, and the
/// datasets that they use; an empty list keeps all. Throws `InputError` for a name that the run
/// does not have.
void keep_only(RunRecord& run, const std::vector<std::string>& models,
               const std::vector<std::string>& benchmarks);

}  // namespace ventral::config

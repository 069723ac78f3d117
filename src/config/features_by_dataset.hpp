#pragma once
/// @file
/// Models whose stored features are in a file for each dataset, as the records that a run needs.

#include "config/run_record.hpp"

namespace ventral::config {

/// Puts in place of each model with a file of features for each dataset a record for each dataset
/// of the run's benchmarks, with its `features`, or the `problem` that there is none.
void choose_features(RunRecord& run);

/// The record for `dataset`, which has the file of its features, or the `problem` that there is
/// none.
models::ModelRecord record_on(const models::ModelRecord& model, const std::string& dataset);

}  // namespace ventral::config

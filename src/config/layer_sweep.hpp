#pragma once
/// @file
/// The run that the choice of a region's layer needs.

#include <string>

#include "config/run_record.hpp"

namespace ventral::config {

/// Leaves of `run` the benchmarks of `region`; committed layers are replaced by the models'
/// candidates, other choices of layers stay. Throws `InputError` if no benchmark is of the region,
/// if a model has no candidates, or if the recordings of a benchmark are private: a record is
/// public, and what is chosen on them would say something about them.
void make_layer_sweep(RunRecord& run, const std::string& region);

/// The layers that the name of a score's layer set stands for, concatenated ones being joined by
/// "+".
LayerSet layers_named(const RunRecord& run, const std::string& model, const std::string& name);

}  // namespace ventral::config

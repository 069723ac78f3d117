#pragma once
/// @file
/// Which layers of a model a run scores.

#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "models/model_record.hpp"
#include "pipeline/inputs/model_facts.hpp"

namespace ventral::pipeline {

/// The layers that stand for the benchmark's region; empty if the model commits to none.
config::LayerSet committed_layers(const models::ModelRecord& model, const ModelFacts& facts,
                                  const std::string& region);

/// What the run says of the model, whose layers for the region are `committed`; none if there is
/// nothing to score.
std::vector<config::LayerSet> layer_sets(const config::RunRecord& run,
                                         const models::ModelRecord& model, const ModelFacts& facts,
                                         const config::LayerSet& committed);

}  // namespace ventral::pipeline

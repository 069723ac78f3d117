#pragma once
/// @file
/// Which layers of a model a run scores.

#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "models/model_record.hpp"
#include "pipeline/inputs/input_facts.hpp"

namespace ventral::pipeline {

/// All layers of the model that are known: of stored features with a file for each dataset those of
/// all files, so that it is one model, whichever file lacks one of them.
std::vector<std::string> known_layers(const config::RunRecord& run, const InputFacts& facts,
                                      const models::ModelRecord& model);

/// The layers that stand for the benchmark's region, `known` being the `known_layers`; empty if the
/// model commits to none.
config::LayerSet committed_layers(const models::ModelRecord& model,
                                  const std::vector<std::string>& known, const std::string& region);

/// What the run says of the model, whose layers for the region are `committed`; none if there is
/// nothing to score.
std::vector<config::LayerSet> layer_sets(const config::RunRecord& run,
                                         const models::ModelRecord& model,
                                         const std::vector<std::string>& known,
                                         const config::LayerSet& committed);

}  // namespace ventral::pipeline

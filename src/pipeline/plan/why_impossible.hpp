#pragma once
/// @file
/// Why scores cannot be computed whatever the machine, as far as the facts of files tell.

#include <optional>
#include <string>

#include "benchmarks/benchmark_record.hpp"
#include "config/run_record.hpp"
#include "core/errors.hpp"
#include "models/model_record.hpp"
#include "pipeline/inputs/input_facts.hpp"

namespace ventral::pipeline {

/// Why no layer of the model can be scored on the benchmark, both of the run; nothing where nothing
/// is known against it.
std::optional<core::Failure> why_impossible(const config::RunRecord& run, const InputFacts& facts,
                                            const models::ModelRecord& model,
                                            const benchmarks::BenchmarkRecord& benchmark);

/// Why the model's stored features cannot give the layers; empty if they can.
std::string absent_layer(const models::ModelRecord& model, const ModelFacts& facts,
                         const config::LayerSet& layers);

}  // namespace ventral::pipeline

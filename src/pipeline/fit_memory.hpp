#pragma once
/// @file
/// What fitting takes of memory beside the Gram: an estimate from above, for plans.

#include <cstddef>
#include <string>
#include <vector>

#include "pipeline/plan.hpp"
#include "pipeline/probe.hpp"
#include "pipeline/recordings.hpp"

namespace ventral::pipeline {

/// In bytes.
struct FitMemory {
    /// Of a node: the Gram again over the rows of a benchmark that has others than the stimuli or
    /// another order, and the features in their small form where they are fewer than the rows or a
    /// metric needs them.
    double shared = 0;
    /// Of a rank: per worker a matrix of the train rows (of PLS one of the rows that a fold leaves
    /// out), for a ridge that all folds share at least two of all rows, and per fold of a group two
    /// n × m and two n × min(n, m); for comparisons four n × n instead.
    double a_rank = 0;
};

/// What the rows and columns of a unit's Grams are.
struct UnitShape {
    const std::vector<std::string>& stimulus_ids;
    const std::vector<LayerSize>& layers;
};

/// The most that any score of the unit takes. Benchmarks whose recordings cannot be read take none.
FitMemory fit_memory(const config::RunRecord& run, const PlannedUnit& unit, const UnitShape& shape,
                     RecordingsReader& recordings, std::size_t threads);

}  // namespace ventral::pipeline

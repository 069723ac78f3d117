#pragma once
/// @file
/// What a unit takes of memory, stage by stage: an estimate for plans, from the sizes of all that a
/// stage holds. Beside the program, its libraries and what networks take.

#include <cstddef>
#include <string>
#include <vector>

#include "pipeline/inputs/recordings.hpp"
#include "pipeline/outlook/memory_stage.hpp"
#include "pipeline/outlook/most_in_work.hpp"
#include "pipeline/outlook/probe.hpp"
#include "pipeline/plan/fit_parts.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::pipeline {

/// What the features of a unit are.
struct UnitShape {
    std::vector<std::string> stimulus_ids;
    std::vector<LayerSize> layers;
    double value_bytes = sizeof(float);
    /// What is in memory of a file of stored features; 0: activations on disk.
    double stored_bytes = 0;
    bool is_whole = true;             ///< all of its features
    double stored_reading_bytes = 0;  ///< else what reading a slab of them takes beside it
    bool is_one_layer = false;        ///< which are one layer as it lies there
    std::size_t feature_bins = 1;     ///< of stored features, or that a network answers in
    InTime in_time = InTime::still;

    /// Whether a layer of stored features is copied out of all of them.
    bool is_copied() const { return stored_bytes > 0 && is_whole && !is_one_layer; }
};

/// The stages of the unit one after the other. Benchmarks whose recordings cannot be read take
/// nothing: the run will record why.
std::vector<MemoryStage> unit_memory(const config::RunRecord& run, const PlannedUnit& unit,
                                     const UnitShape& shape, RecordingsReader& recordings,
                                     const Workforce& workforce);

}  // namespace ventral::pipeline

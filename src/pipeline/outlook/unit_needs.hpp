#pragma once
/// @file
/// What a unit whose files have been looked at needs of a node's memory, and the setting with which
/// it would fit where it does not.

#include <cstddef>

#include "models/model_record.hpp"
#include "pipeline/outlook/estimate_unit.hpp"
#include "pipeline/outlook/probe.hpp"
#include "pipeline/outlook/unit_memory.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::pipeline {

/// What a look at the files of a unit has found, beside what its estimate says.
struct UnitLook {
    PlannedUnit unit;  ///< without the scores that its files have no layers for
    UnitShape shape = {};
    bool has_passes = false;      ///< of its network, which are still to be made
    double extracting_bytes = 0;  ///< see `ProbedNetwork`
    double fitting_bytes = 0;     ///< of stored features that the PCA is fitted on

    /// That activations hold of each stimulus: one in each trial and time bin.
    std::size_t copies() const { return unit.trials * shape.feature_bins; }
};

/// Whether a PCA takes the place of the layer.
bool is_projected(const models::ModelRecord& model, const LayerSize& layer);

/// On disk, of a layer's projection: `rows` are the stimuli in all time bins of their features.
double projection_file_bytes(const models::ModelRecord& model, std::size_t rows);

/// Fills in stages and bytes of memory, for the node and for others that the unit might fit better.
/// `estimate` says already what the files are.
void add_memory(UnitEstimate& estimate, const UnitLook& look, const EstimateContext& context);

}  // namespace ventral::pipeline

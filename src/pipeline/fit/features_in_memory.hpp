#pragma once
/// @file
/// Activations of one layer that are needed at once and not kept.

#include <string>

#include "core/assembly.hpp"
#include "core/stimulus_set.hpp"
#include "models/model_record.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

struct FeaturesRequest {
    const models::ModelRecord& model;
    const core::StimulusSet& stimuli;
    std::string layer;
    /// They pass through a file of a name like this, which is removed in any case.
    std::string beside;
};

/// What `extract` writes of the layer, as `io::read_assembly` reads it, on the first rank; nothing
/// on the others. Throws as `extract`. Collective.
core::Assembly features_in_memory(const FeaturesRequest& request, TeamContext& context);

}  // namespace ventral::pipeline

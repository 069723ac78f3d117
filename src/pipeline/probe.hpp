#pragma once
/// @file
/// One stimulus through a model: does it run, and how large are its layers?

#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "core/stimulus_set.hpp"
#include "models/model_record.hpp"

namespace ventral::pipeline {

struct LayerSize {
    std::string name;
    std::size_t features = 0;
};

/// Sizes of `layers` when the first of `stimuli` is shown alone. Throws `core::InputError` if the
/// network, a layer or the image is wrong.
std::vector<LayerSize> probe_network(const models::ModelRecord& model,
                                     const core::StimulusSet& stimuli,
                                     const std::vector<std::string>& layers);

/// The same of stored features.
std::vector<LayerSize> probe_stored(const core::Assembly& features,
                                    const std::vector<std::string>& layers);

}  // namespace ventral::pipeline

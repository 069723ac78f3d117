#pragma once
/// @file
/// One batch through a model: does it run, how large are its layers, and what does it take?

#include <functional>
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

/// What a network is and takes on this machine while one worker runs it.
struct NetworkProbe {
    std::vector<LayerSize> layers;
    double flops = 0;          ///< of one image up to the deepest layer; 0: not known
    double load_seconds = 0;   ///< until the network can be used
    double image_seconds = 0;  ///< of reading and preparing an image
    double batch_seconds = 0;  ///< of a pass of one batch
    /// By which such a pass has raised the peak of this process, without what it leaves to others.
    double pass_bytes = 0;
};

/// Shows the first of `stimuli` to the network, as often as a batch has images, and records
/// `layers`. `peak_bytes` tells the peak of this process so far; without it `pass_bytes` is 0.
/// Throws `core::InputError` if the network, a layer or the image is wrong.
NetworkProbe probe_network(const models::ModelRecord& model, const core::StimulusSet& stimuli,
                           const std::vector<std::string>& layers,
                           const std::function<double()>& peak_bytes = {});

/// Sizes of layers of stored features. Throws likewise.
std::vector<LayerSize> probe_stored(const core::Assembly& features,
                                    const std::vector<std::string>& layers);

}  // namespace ventral::pipeline

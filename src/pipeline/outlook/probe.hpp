#pragma once
/// @file
/// One batch through a network: does it run, how large are its layers, and what does it take?

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/dataset_record.hpp"
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
    double batch_seconds = 0;  ///< of the passes that `models::images_at_once` take
    double loading_bytes = 0;  ///< peak of this process until it has run for the first time
    double pass_bytes = 0;     ///< by which those passes then raise the peak
};

/// The peak of this process since it was last forgotten.
struct PeakMemory {
    std::function<double()> bytes = [] { return 0.0; };
    std::function<void()> forget = [] {};
};

/// An image as a network reads it.
struct ProbedImage {
    std::vector<float> pixels;
    double seconds = 0;  ///< of reading and preparing it
};

/// The first of `stimuli`. Throws `core::InputError` if it is wrong; of images that are not for
/// everyone it names none.
ProbedImage probe_image(const models::ModelRecord& model, const core::StimulusSet& stimuli,
                        benchmarks::Access access);

/// Shows the first of `stimuli` to the network, as often as images are run at once, and records
/// `layers`; warns of those that are not finite. Forgets the peak once. Throws `core::InputError`
/// if the network, a layer or the image is wrong, as `probe_image`.
NetworkProbe probe_network(const models::ModelRecord& model, const core::StimulusSet& stimuli,
                           benchmarks::Access access, const std::vector<std::string>& layers,
                           const PeakMemory& peak = {});

}  // namespace ventral::pipeline

#include "pipeline/outlook/probe.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>

#include "core/allocator.hpp"
#include "core/are_finite.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/product.hpp"
#include "core/seconds_since.hpp"
#include "models/load_input.hpp"
#include "models/network/load_network.hpp"
#include "models/recording/pass_flops.hpp"
#include "models/recording/recorder.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "models/time_axis.hpp"
#include "pipeline/extraction/storable_layers.hpp"
#include "pipeline/inputs/stimulus_image.hpp"

namespace ventral::pipeline {

namespace {

/// A second try shows what the first took only because it was the first.
constexpr double worth_repeating_s = 1;

double typical_seconds(const std::function<void()>& work) {
    const double first = core::seconds_taken(work);
    return first < worth_repeating_s ? std::min(first, core::seconds_taken(work)) : first;
}

/// Not every network that runs can be counted: with custom operators, for example.
double flops_or_zero(const models::Network& network, const std::vector<std::string>& layers,
                     const models::InputShape& input, std::size_t batch_size) {
    try {
        return models::pass_flops(network, layers, input, static_cast<std::int64_t>(batch_size));
    } catch (const core::InputError&) {
        return 0;
    }
}

/// In one time bin, if the layer answers in time.
std::size_t features_of(models::LayerShape shape, const models::ModelRecord& model,
                        const std::string& layer) {
    check_storable_size(shape, model, layer);
    if (model.time) shape = models::shape_in_time_bin(shape, model, layer);
    return static_cast<std::size_t>(core::product(shape));
}

}  // namespace

ProbedImage probe_image(const models::ModelRecord& model, const core::StimulusSet& stimuli,
                        benchmarks::Access access) {
    ProbedImage image;
    image.seconds = typical_seconds([&] {
        with_image(stimuli, 0, access, [&](const std::string& file) {
            image.pixels = models::load_input(model, file, stimuli.visual_degrees.front());
        });
    });
    return image;
}

NetworkProbe probe_network(const models::ModelRecord& model, const core::StimulusSet& stimuli,
                           benchmarks::Access access, const std::vector<std::string>& layers,
                           const PeakMemory& peak) {
    for (const auto& layer : layers) check_storable_name(model, layer);
    const auto shape = models::input_shape(model);
    const models::InputShape input{static_cast<std::int64_t>(shape[0]),
                                   static_cast<std::int64_t>(shape[1]),
                                   static_cast<std::int64_t>(shape[2])};
    const models::BatchShape of_pass{static_cast<std::int64_t>(model.batch_size), input[0],
                                     input[1], input[2]};
    models::configure_torch();
    std::optional<core::KeepsFreedBlocks> while_networks_run(std::in_place);
    NetworkProbe probe;
    const auto start = std::chrono::steady_clock::now();
    const auto network = models::load_network(model);
    const models::LayerRecorder recorder(network, layers);
    probe.load_seconds = core::seconds_since(start);
    const auto [pixels, image_seconds] = probe_image(model, stimuli, access);
    probe.image_seconds = image_seconds;
    std::vector<float> batch;
    for (std::size_t i = 0; i < models::images_at_once(model); ++i)
        batch.insert(batch.end(), pixels.begin(), pixels.end());
    // What the first pass leaves, as weights in another order, is the network's and not a pass's.
    recorder.shapes(std::span(batch).first(model.batch_size * pixels.size()), of_pass);
    while_networks_run.reset();
    probe.loading_bytes = peak.bytes();
    peak.forget();
    while_networks_run.emplace();
    const double before = peak.bytes();
    std::vector<models::LayerOutput> outputs;
    probe.batch_seconds = typical_seconds([&] {
        outputs.clear();  // a batch has them once
        outputs = recorder.record(batch, of_pass);
    });
    for (std::size_t l = 0; l < layers.size(); ++l) {
        probe.layers.push_back({layers[l], features_of(outputs[l].shape, model, layers[l])});
        if (!core::are_finite(outputs[l].values))
            core::log_warning_once(model.origin + ": layer '" + layers[l] +
                                   "' has values that are NaN or infinite for the first stimulus "
                                   "(such features cannot be scored) check the network's weights "
                                   "and preprocessing");
    }
    probe.pass_bytes = peak.bytes() - before;
    outputs.clear();
    probe.flops = flops_or_zero(network, layers, input, model.batch_size);
    models::forget_compiled_operators();
    return probe;
}

}  // namespace ventral::pipeline

#include "record_warnings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <optional>
#include <set>
#include <utility>

#include "config/catalogue.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "models/network/load_network.hpp"
#include "models/recording/layer_summary.hpp"
#include "models/recording/recorder.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "pipeline/inputs/model_layers.hpp"
#include "pipeline/plan/chosen_layers.hpp"

namespace ventral::jobs {
namespace {

/// Pixels are from 0 to 1; what is beyond this was meant for 0 to 255.
constexpr float largest_moment = 10;

/// The short side after resizing, if the record says one.
std::optional<std::size_t> resized_side(const stimuli::Preprocessing& preprocessing) {
    if (preprocessing.resize) return preprocessing.resize;
    if (!preprocessing.resize_exact) return std::nullopt;
    return std::min(preprocessing.resize_exact->height, preprocessing.resize_exact->width);
}

/// The first channel's value that is not of pixels from 0 to 1.
std::optional<float> value_of_bytes(const std::array<float, 3>& channels) {
    for (const float value : channels)
        if (std::abs(value) > largest_moment) return value;
    return std::nullopt;
}

/// Whether the run scores these layers together, as far as that is known without the model's file.
bool may_score(const config::RunRecord& run, const models::ModelRecord& model,
               const config::LayerSet& layers) {
    const auto sets = pipeline::layer_sets(run, model, {}, layers);
    return sets.empty() || std::find(sets.begin(), sets.end(), layers) != sets.end();
}

void warn_of_commitments(const config::RunRecord& run) {
    std::set<std::string> regions;
    for (const auto& benchmark : run.benchmarks) regions.insert(benchmark.region);
    for (const auto& model : run.models)
        for (const auto& [region, layers] : model.regions)
            if (regions.contains(region) && !may_score(run, model, layers))
                core::log_warning_once(
                    model.origin + ": [regions] " + region + ": " + core::joined(layers, "+") +
                    " is not among the layers that the run scores (layers = " +
                    (run.layers == config::LayerChoice::candidates
                         ? "\"candidates\": each of the model's `layers` alone"
                         : "a table") +
                    "), so that the model has no score of this region in the leaderboard");
}

/// Why the whole of forward fails, of which a run takes no more than it needs.
std::optional<std::string> output_problem(const models::Network& network,
                                          const models::ModelRecord& model) {
    const auto input = pipeline::known_input(model);
    if (!input) return std::nullopt;
    try {
        models::summarise_layers(network, *input, static_cast<std::int64_t>(model.batch_size));
        return std::nullopt;
    } catch (const std::exception& error) {  // it may want more memory than a run does
        return error.what();
    }
}

}  // namespace

std::vector<std::string> preprocessing_warnings(const models::ModelRecord& model) {
    if (has_stored_features(model) || !model.preprocessing) return {};
    const auto& preprocessing = *model.preprocessing;
    const auto place = model.origin + ": [preprocessing] ";
    std::vector<std::string> warnings;
    const auto side = resized_side(preprocessing);
    if (side && preprocessing.crop && *preprocessing.crop > *side)
        warnings.push_back(place + "crop " + std::to_string(*preprocessing.crop) +
                           " is larger than resize " + std::to_string(*side) +
                           " (the images get black edges)");
    for (const auto& [name, channels] : {std::pair("mean", preprocessing.mean),
                                         std::pair("std", preprocessing.standard_deviation)})
        if (const auto value = value_of_bytes(channels))
            warnings.push_back(place + name + " has " + core::number_text(*value) +
                               " (pixels are from 0 to 1, not to 255) divide it by 255");
    return warnings;
}

void warn_of_preprocessing(const config::RunRecord& run) {
    for (const auto& model : run.models)
        for (const auto& warning : preprocessing_warnings(model)) core::log_warning(warning);
}

void warn_of_records(const config::RunRecord& run) {
    config::log_left_out(run.left_out);
    warn_of_preprocessing(run);
    warn_of_commitments(run);
}

std::vector<std::string> layer_warnings(const models::ModelRecord& model) {
    if (has_stored_features(model)) return {};
    std::optional<models::Network> network;
    try {
        models::configure_torch();
        network.emplace(models::load_network(model));
    } catch (const core::InputError&) {
        return {};  // an error of the probe
    }
    std::vector<std::string> warnings;
    const auto look_for = [&](const std::vector<std::string>& layers, const std::string& key) {
        try {
            [[maybe_unused]] const models::LayerRecorder recorder(*network, layers);
        } catch (const core::InputError& error) {
            warnings.push_back(model.origin + ": " + key + ": " + error.what());
        }
    };
    for (const auto& [region, layers] : model.regions) look_for(layers, "[regions] " + region);
    if (!model.readout_layer.empty()) look_for({model.readout_layer}, "readout_layer");
    if (auto problem = output_problem(*network, model))
        warnings.push_back(model.origin + ": the network has no output for such images (" +
                           *problem +
                           ") see [preprocessing]; layers before that are recorded all the same");
    return warnings;
}

}  // namespace ventral::jobs

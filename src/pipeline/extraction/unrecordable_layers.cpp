#include "pipeline/extraction/unrecordable_layers.hpp"

#include <functional>
#include <optional>
#include <utility>

#include "core/errors.hpp"
#include "models/load_input.hpp"
#include "models/network/load_network.hpp"
#include "models/recording/recorder.hpp"
#include "models/time_axis.hpp"
#include "pipeline/extraction/storable_layers.hpp"
#include "pipeline/inputs/model_layers.hpp"

namespace ventral::pipeline {
namespace {

struct Batch {
    std::vector<float> pixels;
    models::BatchShape shape{};
};

/// As many times the first stimulus as a batch has images; nothing if that cannot be had.
std::optional<Batch> first_batch(const models::ModelRecord& model,
                                 const core::StimulusSet& stimuli) try {
    const auto input = known_input(model);
    if (!input || stimuli.files.empty()) return std::nullopt;
    const auto pixels =
        models::load_input(model, stimuli.files.front(), stimuli.visual_degrees.front());
    Batch batch;
    for (std::size_t i = 0; i < model.batch_size; ++i)
        batch.pixels.insert(batch.pixels.end(), pixels.begin(), pixels.end());
    const auto [channels, height, width] = *input;
    batch.shape = {static_cast<std::int64_t>(model.batch_size), channels, height, width};
    return batch;
} catch (const core::InputError&) {
    return std::nullopt;
}

/// Nothing if the network cannot take the batch, whatever is recorded.
std::optional<std::vector<std::optional<models::LayerShape>>> shapes_of(
    const models::LayerRecorder& recorder, const Batch& batch) try {
    return recorder.shapes(batch.pixels, batch.shape);
} catch (const core::InputError& error) {
    core::rethrow_lack_of_memory(error);
    return std::nullopt;
}

/// Collects the reasons of `core::InputError`s that are a layer's own.
class Reasons {
public:
    bool has(const std::string& layer) const { return reasons_.count(layer) > 0; }
    void from(const std::string& layer, const std::function<void()>& step) {
        try {
            step();
        } catch (const core::InputError& error) {
            core::rethrow_lack_of_memory(error);
            reasons_[layer] = error.what();
        }
    }
    std::map<std::string, std::string> take() { return std::move(reasons_); }

private:
    std::map<std::string, std::string> reasons_;
};

}  // namespace

std::map<std::string, std::string> unrecordable_layers(const models::ModelRecord& model,
                                                       const core::StimulusSet& stimuli,
                                                       const std::vector<std::string>& layers) {
    const auto network = models::load_network(model);
    Reasons reasons;
    std::vector<std::string> called;
    for (const auto& layer : layers) {
        reasons.from(layer, [&] {
            check_storable_name(model, layer);
            models::LayerRecorder(network, {layer}).check_layout();
        });
        if (!reasons.has(layer)) called.push_back(layer);
    }
    const auto batch = first_batch(model, stimuli);
    if (called.empty() || !batch) return reasons.take();
    const auto shapes = shapes_of(models::LayerRecorder(network, called), *batch);
    for (std::size_t l = 0; shapes && l < called.size(); ++l)
        reasons.from(called[l], [&] {
            const auto& shape = (*shapes)[l];
            if (!shape)
                models::LayerRecorder(network, {called[l]}).record(batch->pixels, batch->shape);
            else
                check_storable_size(*shape, model, called[l]);
            if (shape && model.time) models::shape_in_time_bin(*shape, model, called[l]);
        });
    return reasons.take();
}

}  // namespace ventral::pipeline

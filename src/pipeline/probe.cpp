#include "pipeline/probe.hpp"

#include "core/errors.hpp"
#include "models/load_input.hpp"
#include "models/load_network.hpp"
#include "models/recorder.hpp"
#include "models/torch_runtime.hpp"
#include "pipeline/stored_features.hpp"

namespace ventral::pipeline {

std::vector<LayerSize> probe_network(const models::ModelRecord& model,
                                     const core::StimulusSet& stimuli,
                                     const std::vector<std::string>& layers) {
    if (!model.preprocessing)
        throw core::InputError(model.origin + ": the network has no [preprocessing]");
    const auto shape = stimuli::tensor_shape(*model.preprocessing);
    if (!shape)
        throw core::InputError(model.origin +
                               ": [preprocessing] gives images of different sizes, set crop");
    models::configure_torch();
    const models::LayerRecorder recorder(models::load_network(model), layers);
    const auto pixels =
        models::load_input(model, stimuli.files.front(), stimuli.visual_degrees.front());
    const auto outputs = recorder.record(
        pixels, {1, static_cast<std::int64_t>((*shape)[0]), static_cast<std::int64_t>((*shape)[1]),
                 static_cast<std::int64_t>((*shape)[2])});
    std::vector<LayerSize> sizes;
    for (std::size_t l = 0; l < layers.size(); ++l)
        sizes.push_back({layers[l], outputs[l].values.size()});
    return sizes;
}

std::vector<LayerSize> probe_stored(const core::Assembly& features,
                                    const std::vector<std::string>& layers) {
    std::vector<LayerSize> sizes;
    for (const auto& layer : layers) sizes.push_back({layer, stored_layer_size(features, layer)});
    return sizes;
}

}  // namespace ventral::pipeline

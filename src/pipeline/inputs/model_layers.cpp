#include "pipeline/inputs/model_layers.hpp"

#include <cstdint>
#include <vector>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "models/network/load_network.hpp"
#include "pipeline/inputs/stored_features.hpp"

namespace ventral::pipeline {
namespace {

std::vector<models::LayerSummary> layers_of_features(const models::ModelRecord& model) {
    const auto stored = open_stored(model);
    const auto& features = stored.labels();
    std::vector<models::LayerSummary> layers;
    for (const auto& name : stored_layers(features)) {
        const auto size = stored_layer_size(features, name);
        layers.push_back({name, models::LayerShape{static_cast<std::int64_t>(size)}, 0});
    }
    return layers;
}

models::InputShape input_of(const models::ModelRecord& model) {
    if (const auto shape = known_input(model)) return *shape;
    throw core::InputError((model.origin.empty() ? model.weights_file : model.origin) +
                           ": the size of the network's input is not known (there is no "
                           "[preprocessing], or one that leaves images their size) give "
                           "--input-size, for example 224");
}

void tell_unrecordable(const models::Network& network) {
    const auto names = core::joined(network.unrecordable());
    if (names.empty() && network.has_output_layer() &&
        network.layers() == std::vector<std::string>{models::output_layer})
        core::log_info(network.path() +
                       ": its output is its only layer (it has no submodules, which are lost when "
                       "a network is frozen)");
    if (!names.empty())
        core::log_info(network.path() +
                       ": layers that cannot be recorded (never called by forward, called for "
                       "training only, through an interface or by a torch.jit.fork whose future "
                       "goes elsewhere than to a wait, lost in tracing, or without a tensor as "
                       "output; of a list or dict of tensors each can, as NAME[0] or NAME[KEY]): " +
                       names);
}

}  // namespace

std::optional<models::InputShape> known_input(const models::ModelRecord& model) {
    const auto shape =
        model.preprocessing ? stimuli::tensor_shape(*model.preprocessing) : std::nullopt;
    if (!shape) return std::nullopt;
    return models::InputShape{static_cast<std::int64_t>((*shape)[0]),
                              static_cast<std::int64_t>((*shape)[1]),
                              static_cast<std::int64_t>((*shape)[2])};
}

std::vector<models::LayerSummary> model_layers(const models::ModelRecord& model) {
    if (has_stored_features(model)) return layers_of_features(model);
    const auto input = input_of(model);
    const auto network = models::load_network(model);
    if (!model.builtin) tell_unrecordable(network);
    return models::summarise_layers(network, input, static_cast<std::int64_t>(model.batch_size));
}

}  // namespace ventral::pipeline

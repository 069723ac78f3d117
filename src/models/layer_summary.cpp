#include "models/layer_summary.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "models/layer_name.hpp"
#include "models/made_up_images.hpp"
#include "models/operator_flops.hpp"

namespace ventral::models {
namespace {

bool is_part_of(const std::string& submodule, const std::string& whole) {
    return submodule == whole || submodule.starts_with(whole + ".");
}

/// Some networks drop the axis of the batch if it is of one image.
std::vector<std::optional<LayerShape>> shapes_of(const LayerRecorder& recorder, InputShape input) {
    const auto of_batch = [&](std::int64_t images) {
        const BatchShape batch{images, input[0], input[1], input[2]};
        return on_made_up_images(batch,
                                 [&](auto pixels) { return recorder.shapes(pixels, batch); });
    };
    auto shapes = of_batch(1);
    if (std::all_of(shapes.begin(), shapes.end(), [](const auto& shape) { return shape; }))
        return shapes;
    try {
        const auto of_two = of_batch(2);
        for (std::size_t i = 0; i < shapes.size(); ++i)
            if (!shapes[i]) shapes[i] = of_two[i];
    } catch (const core::InputError&) {
        // It takes single images only.
    }
    return shapes;
}

}  // namespace

std::vector<LayerSummary> summarise_layers(const Network& network, InputShape input) {
    const auto names = network.tensors();
    if (names.empty()) return {};
    const auto shapes = shapes_of(LayerRecorder(network, names), input);
    const auto flops = operator_flops(network, {1, input[0], input[1], input[2]});
    std::vector<LayerSummary> layers;
    for (std::size_t i = 0; i < names.size(); ++i) {
        layers.push_back({names[i], shapes[i], 0});
        const auto submodule = parse_layer_name(names[i], network.names()).submodule;
        const bool is_output = submodule == output_layer && network.has_output_layer();
        for (const auto& [part, own] : flops)
            if (is_output || is_part_of(part, submodule)) layers.back().flops += own;
    }
    return layers;
}

}  // namespace ventral::models

#include "models/layer_summary.hpp"

#include "models/layer_name.hpp"
#include "models/operator_flops.hpp"

namespace ventral::models {
namespace {

bool is_part_of(const std::string& submodule, const std::string& whole) {
    return submodule == whole || submodule.starts_with(whole + ".");
}

}  // namespace

std::vector<LayerSummary> summarise_layers(const Network& network, InputShape input) {
    const BatchShape batch{1, input[0], input[1], input[2]};
    const auto names = network.tensors();
    if (names.empty()) return {};
    const std::vector<float> zeros(static_cast<std::size_t>(input[0] * input[1] * input[2]));
    const auto shapes = LayerRecorder(network, names).shapes(zeros, batch);
    const auto flops = operator_flops(network, batch);
    std::vector<LayerSummary> layers;
    for (std::size_t i = 0; i < names.size(); ++i) {
        layers.push_back({names[i], shapes[i], 0});
        const auto submodule = parse_layer_name(names[i]).submodule;
        const bool is_output = submodule == output_layer && network.has_output_layer();
        for (const auto& [part, own] : flops)
            if (is_output || is_part_of(part, submodule)) layers.back().flops += own;
    }
    return layers;
}

}  // namespace ventral::models

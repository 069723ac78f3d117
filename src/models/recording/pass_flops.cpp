#include "models/recording/pass_flops.hpp"

#include <algorithm>
#include <map>

#include "models/recording/layer_name.hpp"
#include "models/recording/operator_flops.hpp"

namespace ventral::models {
namespace {

/// The place of each submodule in the order of first calls.
std::map<std::string, std::size_t> order_of_calls(const Network& network) {
    std::map<std::string, std::size_t> order;
    const auto layers = network.layers();
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (layers[i] != output_layer || !network.has_output_layer()) order.emplace(layers[i], i);
    return order;
}

/// That of the innermost submodule around `name` which has one; the network's own is the first.
std::size_t place_of(std::string name, const std::map<std::string, std::size_t>& order) {
    while (!name.empty()) {
        const auto found = order.find(name);
        if (found != order.end()) return found->second;
        const auto dot = name.rfind('.');
        name = dot == std::string::npos ? "" : name.substr(0, dot);
    }
    return 0;
}

}  // namespace

double pass_flops(const Network& network, const std::vector<std::string>& layers, InputShape input,
                  std::int64_t batch_size) {
    const auto order = order_of_calls(network);
    std::size_t last = 0;
    for (const auto& layer : layers) {
        auto wanted = parse_layer_name(layer, network.names()).submodule;
        if (network.names().has(wanted)) wanted = network.names().first(wanted);
        if (wanted == output_layer && network.has_output_layer()) last = order.size();
        for (const auto& [name, place] : order)
            if (name == wanted || name.starts_with(wanted + ".")) last = std::max(last, place);
    }
    double sum = 0;
    for (const auto& [submodule, own] : stimulus_flops(network, input, batch_size))
        if (place_of(submodule, order) <= last) sum += own;
    return sum;
}

}  // namespace ventral::models

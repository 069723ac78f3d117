#include "models/recording/layer_summary.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "models/made_up_images.hpp"
#include "models/recording/layer_name.hpp"
#include "models/recording/operator_flops.hpp"

namespace ventral::models {
namespace {

bool is_part_of(const std::string& submodule, const std::string& whole) {
    return submodule == whole || submodule.starts_with(whole + ".");
}

/// Of two images if it takes them: some networks drop the axis of the batch if it is of one, and
/// what knows nothing of the images looks like a row then.
std::vector<std::optional<LayerShape>> shapes_of(const LayerRecorder& recorder, InputShape input,
                                                 std::int64_t batch_size) {
    return on_a_batch(input, {std::min<std::int64_t>(2, batch_size), 1, batch_size},
                      [&](const BatchShape& batch) {
                          return on_made_up_images(
                              batch, [&](auto pixels) { return recorder.shapes(pixels, batch); });
                      });
}

void warn_of_layout(const LayerRecorder& recorder) {
    try {
        recorder.check_layout();
    } catch (const core::InputError& error) {
        core::log_warning(std::string(error.what()) +
                          "; else no layer behind that can be recorded");
    }
}

}  // namespace

std::vector<LayerSummary> summarise_layers(const Network& network, InputShape input,
                                           std::int64_t batch_size) {
    const auto names = network.tensors();
    if (names.empty()) return {};
    const LayerRecorder recorder(network, names);
    warn_of_layout(recorder);
    const auto shapes = shapes_of(recorder, input, batch_size);
    const auto flops = stimulus_flops(network, input, batch_size);
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

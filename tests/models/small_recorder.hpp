#pragma once
/// @file
/// Networks of a few lines, and what their layers give for two small images.

#include <cmath>
#include <string>
#include <vector>

#include "models/recording/recorder.hpp"
#include "support/temporary_folder.hpp"
#include "support/torch_fixture.hpp"

namespace ventral::test {

using Values = std::vector<float>;

/// A submodule that gives an expression of its input x.
inline ScriptedModule leaf(const std::string& name, const std::string& expression) {
    return {name, "def forward(self, x):\n  return " + expression + "\n", {}, {}, ""};
}

/// The network as it is read from its file.
inline models::Network reloaded(const ScriptedModule& root,
                                models::MemoryLayout layout = models::MemoryLayout::contiguous) {
    const TemporaryFolder folder;
    save_network(root, folder.file("network.ts"));
    return models::Network::load(folder.file("network.ts"), {.memory_layout = layout});
}

/// Two stimuli of one channel and 1 × 2 pixels.
inline const Values two_images{1, -2, 3, -4};
inline constexpr models::BatchShape two_shape{2, 1, 1, 2};

inline Values recorded(const models::Network& network, const std::string& layer) {
    return models::LayerRecorder(network, {layer}).record(two_images, two_shape)[0].values;
}

/// Numbers of which no two are alike.
inline Values ramp(std::size_t count) {
    Values values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<float>(i));
    return values;
}

}  // namespace ventral::test

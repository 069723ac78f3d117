#pragma once
/// @file
/// The layers of a network as a table: how large each is and what it costs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/network/network.hpp"
#include "models/recording/recorder.hpp"

namespace ventral::models {

struct LayerSummary {
    std::string name;  ///< as in `Network::tensors`
    /// Of one stimulus; nothing: not called for these images, or no row of numbers for each.
    std::optional<LayerShape> shape;
    double flops = 0;  ///< of the layer's submodule and those below, for one stimulus
};

/// All tensors that can be recorded, in the order of the first call of their submodule. What is
/// counted as flops, and what is not, says `operator_flops`; of several calls all are counted.
/// Runs the network a few times on one or two images of noise, but never on two if its `batch_size`
/// is one; on as many as that if it takes no others. Warns of what makes `check_layout` refuse some
/// of them. Throws `core::InputError` if it cannot take it.
std::vector<LayerSummary> summarise_layers(const Network& network, InputShape input,
                                           std::int64_t batch_size);

}  // namespace ventral::models

#pragma once
/// @file
/// How much arithmetic a network does, and in which submodule.

#include <cstdint>
#include <map>
#include <string>

#include "models/network/network.hpp"
#include "models/recording/recorder.hpp"

namespace ventral::models {

/// Floating-point operations of one forward pass by the submodule whose own code has the operator
/// ("" for the network's own): those of submodules below it are not among its own, and calls and
/// loops count as often as they run. What is counted are convolutions, linear and bilinear layers,
/// matrix products, Einstein sums of two factors, attention and recurrent layers, a multiplication
/// with its addition as two; biases, normalisation, activations and pooling are not. A submodule
/// with several names stands by the first one.
///
/// The network runs once on a batch of noise of the given shape. Throws as `LayerRecorder::record`.
std::map<std::string, double> operator_flops(const Network& network, BatchShape shape);

/// The same for one stimulus: of a batch of one, or a share of one of `batch_size` if the network
/// takes no other.
std::map<std::string, double> stimulus_flops(const Network& network, InputShape input,
                                             std::int64_t batch_size);

}  // namespace ventral::models

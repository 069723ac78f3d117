#pragma once
/// @file
/// How much arithmetic a pass of a network takes that ends at the deepest wanted layer.

#include <cstdint>
#include <string>
#include <vector>

#include "models/network/network.hpp"
#include "models/recording/recorder.hpp"

namespace ventral::models {

/// Floating-point operations for one stimulus, counted as `operator_flops` does, of all submodules
/// that forward calls before the last wanted layer has ended. Of a submodule that is called often
/// all calls count, and a submodule's own code counts as a whole. The network runs once, on as many
/// images of noise as `stimulus_flops` says. Throws `core::InputError` if it cannot take them.
double pass_flops(const Network& network, const std::vector<std::string>& layers, InputShape input,
                  std::int64_t batch_size);

}  // namespace ventral::models

#pragma once
/// @file
/// Networks that draw random numbers also in evaluation mode.

#include <string>
#include <vector>

namespace torch::jit {
struct Module;
}

namespace ventral::models {

/// The operators of the network's code that do so whenever they run, by name without repetition: of
/// dropout those that are always on, as after tracing in training mode. Of other operators only
/// those outside branches, because libraries keep what is for training inside them.
std::vector<std::string> random_operators(const torch::jit::Module& network);

}  // namespace ventral::models

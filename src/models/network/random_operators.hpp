#pragma once
/// @file
/// Networks that work as in training also in evaluation mode: they draw random numbers, or
/// normalise by what else is in a batch.

#include <string>
#include <vector>

namespace torch::jit {
struct Module;
struct Node;
}  // namespace torch::jit

namespace ventral::models {

/// The operators of the network's code that do so whenever they run, by name without repetition: of
/// dropout, also within recurrent layers, those that are always on, as after tracing in training
/// mode. Of other operators only those outside branches, because libraries keep what is for
/// training inside them.
std::vector<std::string> random_operators(const torch::jit::Module& network);

/// Whether an operator may draw random numbers in evaluation mode, wherever it stands.
bool may_draw(const torch::jit::Node& node);

/// Likewise the operators of batch normalisation that always take the statistics of the batch, but
/// for those that are given weights.
std::vector<std::string> operators_on_batches(const torch::jit::Module& network);

}  // namespace ventral::models

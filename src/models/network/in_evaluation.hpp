#pragma once
/// @file
/// What is known of the values of a graph since networks are in evaluation mode.

#include <functional>
#include <optional>

namespace torch::jit {
struct Block;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ventral::models {

/// The block of a prim::If that is for training only, as `in_evaluation` decides its condition.
/// Null if there is none.
const torch::jit::Block* block_for_training(const torch::jit::Node& branch);

/// Whether the node is in such a block.
bool is_for_training(const torch::jit::Node& node);

/// Calls `visit` for each node of a block and of those in it, but not for what is for training.
void visit_evaluated(const torch::jit::Block& block,
                     const std::function<void(const torch::jit::Node&)>& visit);

/// What a boolean is in evaluation mode, if constants and `training`, which is off there for every
/// submodule, decide it.
std::optional<bool> in_evaluation(const torch::jit::Value& value);
/// Likewise a number.
std::optional<double> number_in_evaluation(const torch::jit::Value& value);

/// Whether the operator gives its first argument itself, which its schema does not say: a dropout.
bool gives_its_argument(const torch::jit::Node& node);

}  // namespace ventral::models

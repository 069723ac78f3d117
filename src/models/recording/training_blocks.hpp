#pragma once
/// @file
/// Blocks of a graph that never run, since networks are in evaluation mode.

#include <optional>

namespace torch::jit {
struct Block;
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ventral::models {

/// Notes of each prim::If which of its blocks is for training only (`block_for_training`). To be
/// told of a method before it is unfolded into its callers: there an argument may say more than
/// `recordable_layers` sees.
void mark_training_blocks(torch::jit::Block& block);

/// The number of a prim::If's block that was marked.
std::optional<int> marked_training_block(const torch::jit::Node& branch);

/// Puts the other block, marked or not, in the place of each prim::If that has one for training.
/// The network does not set `training` itself.
void drop_training_blocks(torch::jit::Graph& graph);

}  // namespace ventral::models

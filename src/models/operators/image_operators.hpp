#pragma once
/// @file
/// Operators on images for which libtorch has nothing fast on the CPU in channels_last.

namespace torch::jit {
struct Graph;
}

namespace ventral::models {

/// Replaces them in a graph without calls of submodules that does not change the network's weights.
/// What an operator gives does not depend on what else is in the graph, but on
/// `pad_in_convolutions`.
void replace_image_operators(torch::jit::Graph& graph);

}  // namespace ventral::models

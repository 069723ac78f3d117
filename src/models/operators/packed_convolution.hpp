#pragma once
/// @file
/// Convolutions on the CPU whose weights are brought into oneDNN's order once, not with every call.

namespace torch::jit {
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ventral::models {

/// Has the two-dimensional convolutions of a graph whose filters are the network's own, the same in
/// every call, run by oneDNN in channels_last, each with weights that it keeps in the order that
/// oneDNN chooses for the first images: `F.conv2d`'s result but for rounding, of any thread.
/// libtorch alone orders the weights anew for every batch, and leaves 1 × 1 kernels on one thread
/// to BLAS if a batch has fewer than 16 images. Others than dense float32 tensors of four axes go
/// to `F.conv2d` as before. A network that changes its weights has those of each call.
///
/// What a convolution gives depends on its arguments alone, not on earlier calls or on what else
/// the graph does. The graph has no calls of submodules left, and nothing that is not needed. Each
/// convolution that has run holds a copy of its weights.
void pack_convolutions(torch::jit::Graph& graph);

/// Whether a node is such a convolution.
bool can_be_packed(const torch::jit::Node& node);

}  // namespace ventral::models

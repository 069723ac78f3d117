#pragma once
/// @file
/// Convolutions on the CPU whose weights are brought into oneDNN's order once, not with every call.

#include <cstddef>

namespace torch::jit {
struct Graph;
struct Module;
}  // namespace torch::jit

namespace ventral::models {

/// Has the two-dimensional convolutions of a graph run by oneDNN in channels_last, each with
/// weights that it keeps in the order that oneDNN chooses for the first images; `F.conv2d`'s
/// result but for rounding, of any thread. libtorch alone orders the weights anew for every batch,
/// and leaves 1 × 1 kernels on one thread to BLAS if a batch has fewer than 16 images. Others than
/// dense float32 tensors of four axes go to `F.conv2d` as before.
///
/// What a convolution gives does not depend on what else the graph does. The graph has no calls of
/// submodules left.
void pack_convolutions(torch::jit::Graph& graph);

/// What the weights take that such a graph of `network` keeps once it has run, beside the
/// network's own. 0 for a graph without packed convolutions.
std::size_t packed_bytes(const torch::jit::Graph& graph, const torch::jit::Module& network);

}  // namespace ventral::models

#pragma once
/// @file
/// Convolutions on the CPU whose weights are brought into oneDNN's order once, not with every call.

#include <memory>

namespace torch::jit {
struct Graph;
}

namespace ventral::models {

/// Has the two-dimensional convolutions of a graph run by oneDNN in channels_last, each with
/// weights that it keeps in the order that oneDNN chooses for the first images; `F.conv2d`'s
/// result but for rounding, of any thread. libtorch alone orders the weights anew for every batch,
/// and leaves 1 × 1 kernels on one thread to BLAS if a batch has fewer than 16 images. Others than
/// dense float32 tensors of four axes go to `F.conv2d` as before.
///
/// What a convolution gives does not depend on what else the graph does. The graph has no calls of
/// submodules left. It keeps a second copy of the weights.
void pack_convolutions(torch::jit::Graph& graph);

}  // namespace ventral::models

#pragma once
/// @file
/// `F.pad` of images in channels_last with a constant.

namespace torch::jit {
struct Graph;
}

namespace ventral::models {

/// Has convolutions put the zeros around their images themselves that `F.pad` puts there right
/// before, where they are as many on both sides: `F.conv2d`'s result but for rounding, of finite
/// filters. To be called for the whole of forward: a convolution is then the same whatever is
/// recorded behind it.
void pad_in_convolutions(torch::jit::Graph& graph);

/// Replaces what is left of `F.pad` with a constant, and with it an activation function before it
/// which only it sees: the same values in one pass over memory. To be called behind
/// `take_steps_at_once`.
void pad_rows(torch::jit::Graph& graph);

}  // namespace ventral::models

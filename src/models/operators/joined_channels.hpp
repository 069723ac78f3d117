#pragma once
/// @file
/// `torch.cat` of the channels of images in channels_last.

namespace torch::jit {
struct Graph;
}

namespace ventral::models {

/// Replaces `torch.cat(…, 1)`, and with it activation functions of what is joined which only it
/// sees: they are applied as the values are copied. The same values as PyTorch's.
///
/// To be called behind `take_steps_at_once`.
void join_all_channels(torch::jit::Graph& graph);

}  // namespace ventral::models

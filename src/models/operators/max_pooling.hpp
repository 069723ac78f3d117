#pragma once
/// @file
/// `F.max_pool2d` of images in channels_last, all channels of a window at a time.

namespace torch::jit {
struct Graph;
}

namespace ventral::models {

/// Replaces `F.max_pool2d`, and with it an activation function before it which only it sees: the
/// largest value is held in bounds in place of all. The same values as PyTorch's.
///
/// To be called behind `take_steps_at_once`.
void pool_all_channels(torch::jit::Graph& graph);

}  // namespace ventral::models

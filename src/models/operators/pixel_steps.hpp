#pragma once
/// @file
/// Batch normalisation, sums of two branches and activation functions of images, which libtorch
/// makes one after the other, each in a pass over memory of its own.

#include <cstddef>
#include <optional>

#include "models/operators/limit_step.hpp"

namespace torch::jit {
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ventral::models {

/// Has the graph take these steps in one pass where one follows the other and nothing else sees
/// what lies between them, and within the tensor that it is given where nothing else sees that:
///
///     F.batch_norm(x, …)  in evaluation mode, of the network's own statistics
///     x + y               of two tensors
///     F.relu(x), F.relu6(x), F.hardtanh(x)
///
/// What a step gives does not depend on which others are taken with it: the values that libtorch's
/// operator gives on a processor with AVX2, but that a bound of 0 makes no negative zero. Where
/// images do not lie in channels_last the operator is libtorch's.
///
/// The network leaves its weights as they are.
void take_steps_at_once(torch::jit::Graph& graph);

/// The activation function that makes an input of `user`, if nothing else sees what it gives: it is
/// then gone, and its own input is that of `user`.
std::optional<LimitStep> taken_from(torch::jit::Node& user, std::size_t input);

}  // namespace ventral::models

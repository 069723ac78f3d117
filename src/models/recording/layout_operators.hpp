#pragma once
/// @file
/// Operators whose result depends on how a tensor lies in memory, and not on its values alone.

#include <string>
#include <vector>

namespace torch::jit {
struct Graph;
}

namespace ventral::models {

/// What to do about a network that has other values in another layout than PyTorch's.
inline const std::string layout_advice = " give its record memory_layout = \"contiguous\"";

/// Those that a graph has outside of what is for training only, by name without repetition: they
/// make tensors of whatever stands at an address ("as_strided"), or tell strides. Networks that use
/// them are written for PyTorch's own layout.
std::vector<std::string> layout_operators(const torch::jit::Graph& graph);

}  // namespace ventral::models

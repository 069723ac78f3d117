#pragma once
/// @file
/// Writes in place by way of what is a view in PyTorch's layout, and may be a copy in another.

#include <string>
#include <vector>

namespace torch::jit {
struct Graph;
}

namespace ventral::models {

/// The operators of a graph that give a view of a tensor if that lies in PyTorch's layout and may
/// give a copy of it if not ("flatten"), where it matters: after one of the two is written in
/// place, the other is read. By name without repetition, outside of what is for training only.
///
/// That is read off the schemas of operators, which say what may be a view of what; what a list, a
/// tuple or a branch holds may be each of its parts. A tensor of which both views and copies lie
/// the same way counts all the same. Two reads of an attribute count as two tensors.
std::vector<std::string> written_views(const torch::jit::Graph& graph);

}  // namespace ventral::models

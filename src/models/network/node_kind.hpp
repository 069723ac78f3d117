#pragma once
/// @file
/// What operator a node of a graph is.

#include <initializer_list>

namespace torch::jit {
struct Node;
}

namespace ventral::models {

/// Whether it is one of these, by names such as "aten::flatten".
bool is_one_of(const torch::jit::Node& node, std::initializer_list<const char*> names);

}  // namespace ventral::models

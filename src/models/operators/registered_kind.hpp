#pragma once
/// @file
/// Operators of our own in the graphs that libtorch interprets.

#include <string>

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

namespace ventral::models {

/// Makes an operator "ventral::…" known and tells its kind. It takes any number of arguments, so
/// that every node of a graph that is to run has an operation of its own: what `operation_of` makes
/// of the node. To be called once for each name.
c10::Symbol registered_kind(const std::string& name,
                            torch::jit::Operation (*operation_of)(const torch::jit::Node*));

/// Whether a node is of such a kind.
bool is_own_operator(const torch::jit::Node& node);

}  // namespace ventral::models

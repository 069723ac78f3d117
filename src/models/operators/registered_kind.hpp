#pragma once
/// @file
/// Operators of our own in the graphs that libtorch interprets.

#include <string>

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

namespace ventral::models {

/// Makes an operator known and tells its kind. It takes any number of arguments, so that every node
/// of a graph that is to run has an operation of its own: what `operation_of` makes of the node.
/// To be called once for each name.
c10::Symbol registered_kind(const std::string& name,
                            torch::jit::Operation (*operation_of)(const torch::jit::Node*));

}  // namespace ventral::models

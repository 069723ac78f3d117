#pragma once
/// @file
/// Questions about the values of a graph that is to run: who else sees them, what is known of them.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace torch::jit {
struct Block;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ventral::models {

/// To be told of the nodes that copy what a layer gives, with those in their blocks. What they have
/// read counts as unseen: what a graph computes must not depend on what is recorded of it.
void mark_as_record(torch::jit::Node& copy);
bool is_record(const torch::jit::Node& node);

/// Whether a node is known to give a new tensor, whatever it is given, or one that nothing else
/// sees. Such a node changes no image that anything else sees.
bool gives_new_tensor(const torch::jit::Node& node);

/// Whether it is a new tensor of which nobody but `user` sees the values, but for records that are
/// made before `user` runs: `user` may write into it, or read it later than where it stands.
bool is_private(const torch::jit::Value& value, const torch::jit::Node& user);

/// As `is_private`, and not recorded either: `user` may do without it.
bool is_unseen(const torch::jit::Value& value, const torch::jit::Node& user);

/// Whether it is an attribute of the network or stands in its code.
bool is_of_network(const torch::jit::Value& value);

/// Two whole numbers, the same in every call.
bool is_constant_pair(const torch::jit::Value& value);

/// Whole numbers that are the same in every call, of an int[] or a single int.
std::optional<std::vector<std::int64_t>> constant_numbers(const torch::jit::Value& value);

/// Calls `visit` for each node of a block and of those in it, from front to back; of a node's own
/// blocks first. It may put others before the node and destroy it.
void visit_nodes(torch::jit::Block& block, const std::function<void(torch::jit::Node&)>& visit);

/// Puts a node in another one's place, which is destroyed.
void replace(torch::jit::Node& node, torch::jit::Node& by);

}  // namespace ventral::models

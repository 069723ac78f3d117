#pragma once
/// @file
/// Questions about the calls inside a TorchScript network: which submodule a call is of, and which
/// submodules are called at all. Nothing is run or changed.

#include <optional>
#include <string>
#include <vector>

#include "models/network/submodule_names.hpp"

namespace torch::jit {
struct Block;
struct Module;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ventral::models {

/// The name below `self` ("a.b", or "" for `self` itself) of the submodule that `value` is: a chain
/// of attributes that begins at `self`. Nothing if `value` is anything else.
std::optional<std::string> submodule_name(const torch::jit::Value* value,
                                          const torch::jit::Value* self);

/// Whether a prim::CallMethod node calls forward: also "forward1" (a repeated call in a traced
/// network, not a method that somebody called so) and "forward__0" (an overloaded one).
bool calls_forward(const torch::jit::Node& call);

/// The output of a prim::CallMethod node as the callee's forward hooks leave it, which the file
/// calls behind it as hook(callee, (inputs…), output), and the node of the last one: it may change
/// the output in place.
struct HookedOutput {
    torch::jit::Value* output;
    torch::jit::Node* last;
};
HookedOutput behind_hooks(torch::jit::Node& call);

/// Whether a layer's output is a tensor or a tuple whose first member is one, at any depth; or None
/// in place of any of them, as far as types tell.
bool holds_tensor(const torch::jit::Value& output);

/// The tensors of a layer's output, as what stands behind the layer's name (`layer_name.hpp`): ""
/// for a tensor; "", "[1]", "[2][0]" for a tuple, whose first tensor needs no choice; "[out]" and
/// "[aux]" for a dict whose keys stand in the code. Members of lists are not known beforehand, nor
/// whether members that may be None are.
std::vector<std::string> tensor_choices(const torch::jit::Value& output);

/// The keys that a dict which a call returns can have, if the code names all of them, else none.
/// Those put in for training only do not count.
std::vector<std::string> known_keys(const torch::jit::Value& dict);

/// Names as in `Network::tensors`, without the output layer. Calls for training only do not count.
std::vector<std::string> recordable_layers(const torch::jit::Module& network,
                                           const SubmoduleNames& names);

/// Those of them that return several tensors and that a trace was made of: tracing also returns
/// what is used elsewhere of a submodule's inner tensors, and in an order of its own, so that the
/// first tensor need not be the output.
std::vector<std::string> doubtful_layers(const torch::jit::Module& network,
                                         const SubmoduleNames& names);

}  // namespace ventral::models

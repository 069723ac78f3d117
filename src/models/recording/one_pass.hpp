#pragma once
/// @file
/// What a pass of a network starts from: always the same, whatever passes before it or beside it
/// change.

#include <set>
#include <string>

namespace c10 {
struct IValue;
}

namespace torch::jit {
struct Graph;
struct Module;
}  // namespace torch::jit

namespace ventral::models {

class Network;

/// Where the values lie (`place_of`) of the attributes with these names, in whichever submodule.
std::set<const void*> places_of(const torch::jit::Module& network,
                                const std::set<std::string>& attributes);

/// What forward is to have as `self` in one pass: the network's own module if forward leaves it as
/// it was loaded, else a copy of it. The copy shares all values but those that forward writes into
/// (`Network::written_places`).
c10::IValue self_for_one_pass(const Network& network);

/// To be called once for a graph made of forward: has it copy the tensors of its code in each pass,
/// if forward writes into any.
void renew_constants(const Network& network, torch::jit::Graph& graph);

}  // namespace ventral::models

#pragma once
/// @file
/// The graph that records layers. libtorch 1.13 has no forward hooks for TorchScript; instead all
/// calls of submodules are unfolded in a copy of forward's graph, and what each wanted call returns
/// is copied into a list.

#include <memory>
#include <string>
#include <vector>

#include "models/network/network.hpp"

namespace torch::jit {
struct Graph;
}

namespace ventral::models {

/// What `recording_graph` makes.
struct RecordingGraph {
    std::shared_ptr<torch::jit::Graph> graph;
    /// Operators by which its values depend on how tensors lie in memory (`layout_operators.hpp`,
    /// `layout_writes.hpp`); of a network in PyTorch's layout it does not matter.
    std::vector<std::string> by_layout;
};

/// A graph with the inputs of forward that returns one list of tensors per layer: empty if the run
/// did not call the layer or its last call did not return the member that is chosen, else a copy of
/// what its last call returned (of tuples the first member, if the layer's name chooses none, see
/// `layer_name.hpp`). The copy is made before an operator that works in place can overwrite it, and
/// left out where none does (`record_copies.hpp`).
/// What is behind the last wanted layer is cut off, so that this one needs no copy.
///
/// Of a submodule that has several names the calls under all of them count, as for PyTorch's hooks,
/// and those by submodules that it is not part of.
///
/// `layers` are different names. Throws `core::InputError` if there are none, and for a layer that
/// is not there (with the near names), is never called by forward, returns no tensor or lacks the
/// member that is chosen (with those that it has).
RecordingGraph recording_graph(const Network& network, const std::vector<std::string>& layers);

}  // namespace ventral::models

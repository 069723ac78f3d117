#include "models/operators/record_copies.hpp"

#include <algorithm>

#include <torch/csrc/jit/ir/ir.h>

#include "models/operators/graph_values.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

bool only_reads(const jit::Use& use) { return is_record(*use.user) || gives_new_tensor(*use.user); }

bool is_needless(const jit::Node& copy) {
    const auto& original = *copy.input(0);
    return gives_new_tensor(*original.node()) &&
           std::all_of(original.uses().begin(), original.uses().end(), only_reads);
}

}  // namespace

void drop_needless_copies(jit::Graph& graph) {
    visit_nodes(*graph.block(), [](jit::Node& node) {
        if (!is_record(node) || node.kind() != c10::aten::clone || !is_needless(node)) return;
        node.output()->replaceAllUsesWith(node.input(0));
        node.destroy();
    });
}

}  // namespace ventral::models

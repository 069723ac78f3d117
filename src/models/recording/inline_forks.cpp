#include "models/recording/inline_forks.hpp"

#include <algorithm>
#include <vector>

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

namespace ventral::models {
namespace {

namespace jit = torch::jit;

bool is_only_waited_for(const jit::Value& future) {
    return std::all_of(future.uses().begin(), future.uses().end(),
                       [](const jit::Use& use) { return use.user->kind() == c10::aten::wait; });
}

void add_forks(jit::Block& block, std::vector<jit::Node*>& forks) {
    for (auto* node : block.nodes()) {
        if (node->kind() == c10::prim::fork && is_only_waited_for(*node->output()))
            forks.push_back(node);
        for (auto* inner : node->blocks()) add_forks(*inner, forks);
    }
}

void inline_fork(jit::Graph& graph, jit::Node* fork) {
    const jit::WithInsertPoint here(fork);
    auto* result = jit::insertGraph(graph, *fork->g(c10::attr::Subgraph), fork->inputs()).at(0);
    const auto waits = fork->output()->uses();
    for (const auto& wait : waits) {
        wait.user->output()->replaceAllUsesWith(result);
        wait.user->destroy();
    }
    fork->destroy();
}

/// Once a call stands where it is made, those within it may follow.
void inline_forks(jit::Graph& graph) {
    std::vector<jit::Node*> forks;
    do {
        forks.clear();
        add_forks(*graph.block(), forks);
        for (auto* fork : forks) inline_fork(graph, fork);
    } while (!forks.empty());
}

}  // namespace

void inline_forks(const torch::jit::Module& module) {
    for (auto* function : module._ivalue()->compilation_unit()->get_functions())
        if (auto* code = jit::tryToGraphFunction(*function)) inline_forks(*code->graph());
}

}  // namespace ventral::models

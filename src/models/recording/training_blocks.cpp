#include "models/recording/training_blocks.hpp"

#include <cstddef>

#include <torch/csrc/jit/ir/ir.h>

#include "models/network/in_evaluation.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

c10::Symbol mark() { return c10::Symbol::attr("ventral_for_training"); }

std::optional<int> number_of(const jit::Node& branch) {
    const auto* left_out = block_for_training(branch);
    if (!left_out) return std::nullopt;
    return left_out == branch.blocks()[0] ? 0 : 1;
}

void put_in_place(jit::Node& branch, jit::Block& kept) {
    while (kept.nodes().begin() != kept.nodes().end())
        kept.param_node()->next()->moveBefore(&branch);
    for (std::size_t i = 0; i < branch.outputs().size(); ++i)
        branch.output(i)->replaceAllUsesWith(kept.outputs().at(i));
    branch.destroy();
}

void drop_in_block(jit::Block& block) {
    for (auto* node = block.param_node()->next(); node != block.return_node();) {
        const auto marked = marked_training_block(*node);
        const auto left_out = marked ? marked : number_of(*node);
        if (!left_out) {
            for (auto* inner : node->blocks()) drop_in_block(*inner);
            node = node->next();
            continue;
        }
        auto* before = node->prev();
        put_in_place(*node, *node->blocks()[*left_out == 0 ? 1 : 0]);
        node = before->next();
    }
}

}  // namespace

void mark_training_blocks(jit::Block& block) {
    for (auto* node : block.nodes()) {
        if (const auto number = number_of(*node)) node->i_(mark(), *number);
        for (auto* inner : node->blocks()) mark_training_blocks(*inner);
    }
}

std::optional<int> marked_training_block(const jit::Node& branch) {
    if (!branch.hasAttribute(mark())) return std::nullopt;
    return static_cast<int>(branch.i(mark()));
}

void drop_training_blocks(jit::Graph& graph) { drop_in_block(*graph.block()); }

}  // namespace ventral::models

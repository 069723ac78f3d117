#include "models/network/in_evaluation.hpp"

#include <map>

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/network/node_kind.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

bool is_training_flag(const jit::Node& node) {
    if (node.kind() != c10::prim::GetAttr || node.s(c10::attr::name) != "training") return false;
    const auto type = node.input(0)->type()->cast<c10::ClassType>();
    return type && type->is_module();
}

/// What values are in evaluation, also those that the branch of a prim::If gives whose condition is
/// decided. Each is looked at once: many may hang on one.
class InEvaluation {
public:
    const std::optional<c10::IValue>& of(const jit::Value& value) {
        const auto known = known_.find(&value);
        if (known != known_.end()) return known->second;
        return known_[&value] = found(value);
    }

private:
    std::optional<c10::IValue> found(const jit::Value& value) {
        if (const auto constant = jit::toIValue(&value)) return *constant;
        const auto& node = *value.node();
        if (is_training_flag(node)) return c10::IValue(false);
        const bool is_denial = node.kind() == c10::aten::__not__;
        if (!is_denial && node.kind() != c10::prim::If) return std::nullopt;
        const auto decisive = of(*node.input(0));
        if (!decisive || !decisive->isBool()) return std::nullopt;
        const bool is_true = decisive->toBool();
        if (is_denial) return c10::IValue(!is_true);
        return of(*node.blocks()[is_true ? 0 : 1]->outputs()[value.offset()]);
    }

    std::map<const jit::Value*, std::optional<c10::IValue>> known_;
};

std::optional<c10::IValue> constant_in_evaluation(const jit::Value& value) {
    return InEvaluation().of(value);
}

}  // namespace

bool is_for_training(const jit::Node& node) {
    for (const auto* block = node.owningBlock(); block->owningNode() != nullptr;
         block = block->owningNode()->owningBlock())
        if (block_for_training(*block->owningNode()) == block) return true;
    return false;
}

void visit_evaluated(const jit::Block& block, const std::function<void(const jit::Node&)>& visit) {
    for (const auto* node : block.nodes()) {
        visit(*node);
        const auto* left_out = block_for_training(*node);
        for (const auto* inner : node->blocks())
            if (inner != left_out) visit_evaluated(*inner, visit);
    }
}

bool gives_its_argument(const jit::Node& node) {
    return is_one_of(node, {"aten::dropout", "aten::feature_dropout", "aten::alpha_dropout",
                            "aten::feature_alpha_dropout"});
}

const jit::Block* block_for_training(const jit::Node& branch) {
    if (branch.kind() != c10::prim::If) return nullptr;
    const auto condition = in_evaluation(*branch.input(0));
    return condition ? branch.blocks()[*condition ? 1 : 0] : nullptr;
}

std::optional<bool> in_evaluation(const jit::Value& value) {
    const auto constant = constant_in_evaluation(value);
    return constant && constant->isBool() ? std::optional(constant->toBool()) : std::nullopt;
}

std::optional<double> number_in_evaluation(const jit::Value& value) {
    const auto constant = constant_in_evaluation(value);
    if (constant && constant->isDouble()) return constant->toDouble();
    if (constant && constant->isInt()) return static_cast<double>(constant->toInt());
    return std::nullopt;
}

}  // namespace ventral::models

#include "models/one_pass.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/network.hpp"
#include "models/state_changes.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// Copies a module and those in it. One that stands in several places stays one, and so does a
/// tensor that is written.
class ModuleCopy {
public:
    explicit ModuleCopy(const std::set<std::string>& written) : written_(written) {}

    jit::ObjectPtr of(const jit::ObjectPtr& module) {
        auto& copy = copies_[module.get()];
        if (copy) return copy;
        copy = module->copy();
        for (std::size_t slot = 0; slot < module->slots().size(); ++slot) {
            const auto& value = module->slots()[slot];
            if (value.isModule())
                copy->setSlot(slot, of(value.toObject()));
            else if (written_.count(module->type()->getAttributeName(slot)) > 0)
                copy->setSlot(slot, copy_of(value));
        }
        return copy;
    }

private:
    jit::IValue copy_of(const jit::IValue& value) {
        if (!value.isTensor()) return value.deepcopy();
        auto& copy = tensors_[value.toTensor().unsafeGetTensorImpl()];
        if (copy.isNone()) copy = value.deepcopy();
        return copy;
    }

    const std::set<std::string>& written_;
    std::map<const void*, jit::ObjectPtr> copies_;
    std::map<const void*, jit::IValue> tensors_;
};

void collect_constants(jit::Block& block, std::vector<jit::Node*>& tensors) {
    for (auto* node : block.nodes()) {
        if (node->kind() == c10::prim::Constant && node->hasAttribute(c10::attr::value) &&
            node->kindOf(c10::attr::value) == jit::AttributeKind::t)
            tensors.push_back(node);
        for (auto* inner : node->blocks()) collect_constants(*inner, tensors);
    }
}

}  // namespace

c10::IValue self_for_one_pass(const Network& network) {
    const auto self = network.module()._ivalue();
    const auto& changes = network.changes();
    return changes.none() ? self : ModuleCopy(changes.written).of(self);
}

void renew_constants(const Network& network, jit::Graph& graph) {
    if (!network.changes().constants) return;
    std::vector<jit::Node*> constants;
    collect_constants(*graph.block(), constants);
    const jit::WithInsertPoint at_begin(*graph.nodes().begin());
    auto* as_it_lies = graph.insertConstant(jit::IValue());
    // A tensor stands in the code once for each call of the method that has it.
    std::map<const void*, jit::Value*> copies;
    for (auto* constant : constants) {
        const auto& tensor = constant->t(c10::attr::value);
        auto*& copy = copies[tensor.unsafeGetTensorImpl()];
        if (!copy) {
            auto* original = graph.insertConstant(tensor);
            copy =
                graph.insertNode(graph.create(c10::aten::clone, {original, as_it_lies}))->output();
        }
        constant->output()->replaceAllUsesWith(copy);
    }
}

}  // namespace ventral::models

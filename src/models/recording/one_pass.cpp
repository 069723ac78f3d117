#include "models/recording/one_pass.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/network/network.hpp"
#include "models/network/state_changes.hpp"
#include "models/runtime/storage_place.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// The tensors in a value, also those in lists, tuples and dicts.
void collect_tensors(const c10::IValue& value, std::vector<at::Tensor>& tensors) {
    if (value.isTensor()) tensors.push_back(value.toTensor());
    if (value.isList())
        for (const c10::IValue& member : value.toListRef()) collect_tensors(member, tensors);
    if (value.isTuple())
        for (const auto& member : value.toTupleRef().elements()) collect_tensors(member, tensors);
    if (value.isGenericDict())
        for (const auto& entry : value.toGenericDict()) collect_tensors(entry.value(), tensors);
}

/// Copies a module and those in it. One that stands in several places stays one, and so does what
/// is written: tensors that share their values, whatever attributes hold them, share those of the
/// copy.
class ModuleCopy {
public:
    ModuleCopy(const std::set<std::string>& written, const std::set<const void*>& places)
        : written_(written), places_(places) {}

    jit::ObjectPtr of(const jit::ObjectPtr& module) {
        auto& copy = modules_[module.get()];
        if (copy) return copy;
        copy = module->copy();
        for (std::size_t slot = 0; slot < module->slots().size(); ++slot) {
            const auto& value = module->slots()[slot];
            if (value.isModule())
                copy->setSlot(slot, of(value.toObject()));
            else if (written_.count(module->type()->getAttributeName(slot)) > 0 || shares(value))
                copy->setSlot(slot, copy_of(value));
        }
        return copy;
    }

private:
    /// Whether values of it are written under another name.
    bool shares(const c10::IValue& value) const {
        std::vector<at::Tensor> tensors;
        collect_tensors(value, tensors);
        return std::any_of(tensors.begin(), tensors.end(), [&](const auto& tensor) {
            return has_place(tensor) && places_.count(place_of(tensor)) > 0;
        });
    }

    /// One that several attributes hold stays one. Objects of other kinds are copied as they are.
    c10::IValue copy_of(const c10::IValue& value) {
        if (value.isTensor()) return copy_of(value.toTensor());
        if (value.isTuple()) {
            std::vector<c10::IValue> members;
            for (const auto& member : value.toTupleRef().elements())
                members.push_back(copy_of(member));
            return c10::ivalue::Tuple::createNamed(std::move(members), value.toTupleRef().type());
        }
        if (!value.isList() && !value.isGenericDict()) return value.deepcopy();
        auto& copy = containers_[value.internalToPointer()];
        if (copy.isNone()) copy = value.isList() ? copy_of_list(value) : copy_of_dict(value);
        return copy;
    }

    c10::IValue copy_of_list(const c10::IValue& value) {
        const auto list = value.toList();
        c10::impl::GenericList copy(list.elementType());
        for (std::size_t i = 0; i < list.size(); ++i) copy.push_back(copy_of(list.get(i)));
        return copy;
    }

    c10::IValue copy_of_dict(const c10::IValue& value) {
        const auto dict = value.toGenericDict();
        c10::impl::GenericDict copy(dict.keyType(), dict.valueType());
        for (const auto& entry : dict) copy.insert(entry.key(), copy_of(entry.value()));
        return copy;
    }

    c10::IValue copy_of(const at::Tensor& tensor) {
        auto& copy = tensors_[tensor.unsafeGetTensorImpl()];
        if (copy.isNone())
            copy = has_place(tensor) && !tensor.is_quantized() ? of_copied_values(tensor)
                                                               : tensor.clone();
        return copy;
    }

    at::Tensor of_copied_values(const at::Tensor& tensor) {
        const auto& values = tensor.storage();
        auto& copy = storages_[place_of(tensor)];
        if (!copy) {
            const auto bytes = static_cast<std::int64_t>(values.nbytes());
            const auto whole = at::empty({0}, tensor.options().dtype(at::kByte));
            copy = whole.set_(values, 0, {bytes}, {1}).clone().storage();
        }
        return at::empty({0}, tensor.options())
            .set_(copy, tensor.storage_offset(), tensor.sizes(), tensor.strides());
    }

    const std::set<std::string>& written_;
    const std::set<const void*>& places_;  ///< of what is written
    std::map<const void*, jit::ObjectPtr> modules_;
    std::map<const void*, c10::IValue> containers_;
    std::map<const void*, c10::IValue> tensors_;
    std::map<const void*, at::Storage> storages_;
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

std::set<const void*> places_of(const jit::Module& network,
                                const std::set<std::string>& attributes) {
    std::vector<at::Tensor> tensors;
    for (const auto& module : network.modules())
        for (const auto& attribute : module.named_attributes(/*recurse=*/false))
            if (attributes.count(attribute.name) > 0) collect_tensors(attribute.value, tensors);
    std::set<const void*> places;
    for (const auto& tensor : tensors)
        if (has_place(tensor)) places.insert(place_of(tensor));
    return places;
}

c10::IValue self_for_one_pass(const Network& network) {
    const auto self = network.module()._ivalue();
    const auto& changes = network.changes();
    return changes.none() ? self : ModuleCopy(changes.written, network.written_places()).of(self);
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

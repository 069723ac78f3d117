#include "models/network/plain_attributes.hpp"

#include <cstdint>
#include <set>
#include <utility>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// Classes and their attributes.
using Attributes = std::set<std::pair<const c10::Type*, std::string>>;

void collect_types(const jit::Node& node, Attributes& types) {
    const auto* schema = node.maybeSchema();
    if (!schema) return;
    for (std::size_t i = 0; i < schema->arguments().size() && i < node.inputs().size(); ++i) {
        if (schema->arguments()[i].name() != "dtype") continue;
        const auto* source = node.input(i)->node();
        // Of an attribute that may be None.
        if (source->kind() == c10::prim::unchecked_cast) source = source->input()->node();
        if (source->kind() == c10::prim::GetAttr)
            types.emplace(source->input()->type().get(), source->s(c10::attr::name));
    }
}

void collect_types(const jit::Block& block, Attributes& types) {
    for (const auto* node : block.nodes()) {
        collect_types(*node, types);
        for (const auto* inner : node->blocks()) collect_types(*inner, types);
    }
}

/// Those that an operator is given as its `dtype`.
Attributes type_attributes(const jit::Module& network) {
    Attributes types;
    for (auto* function : network._ivalue()->compilation_unit()->get_functions())
        if (auto* code = jit::tryToGraphFunction(*function))
            collect_types(*code->graph()->block(), types);
    return types;
}

class AttributeFitting {
public:
    AttributeFitting(const std::string& device, const ConvertedTypes& converted, Attributes types)
        : device_(device), converted_(converted), types_(std::move(types)) {}

    void visit(const c10::IValue& value) {
        if (value.isObject())
            visit_object(*value.toObject());
        else if (value.isTensor())
            fit(value.toTensor());
        else if (value.isList())
            for (const auto& member : value.toListRef()) visit(member);
        else if (value.isTuple())
            for (const auto& member : value.toTupleRef().elements()) visit(member);
        else if (value.isGenericDict())
            for (const auto& entry : value.toGenericDict()) visit(entry.value());
    }

private:
    bool is_converted(at::ScalarType type) const {
        return converted_.count(c10::toString(type)) > 0;
    }

    void visit_object(c10::ivalue::Object& object) {
        if (!visited_.insert(&object).second) return;
        for (std::size_t i = 0; i < object.slots().size(); ++i) {
            const auto value = object.getSlot(i);
            if (value.isDevice())
                object.setSlot(i, device_);
            else if (value.isInt())
                fit_type(object, i, value.toInt());
            else
                visit(value);
        }
    }

    void fit_type(c10::ivalue::Object& object, std::size_t slot, std::int64_t number) const {
        const auto type = object.type();
        if (is_converted(static_cast<at::ScalarType>(number)) &&
            types_.count({type.get(), type->getAttributeName(slot)}) > 0)
            object.setSlot(slot, static_cast<std::int64_t>(at::kFloat));
    }

    void fit(at::Tensor tensor) const {
        if (!tensor.defined()) return;
        const auto type = is_converted(tensor.scalar_type()) ? at::kFloat : tensor.scalar_type();
        if (type == tensor.scalar_type() && tensor.device() == device_) return;
        tensor.set_data(tensor.detach().to(device_, type));
    }

    at::Device device_;
    const ConvertedTypes& converted_;
    Attributes types_;
    std::set<const c10::ivalue::Object*> visited_;
};

}  // namespace

void fit_attributes(const jit::Module& network, const std::string& device,
                    const ConvertedTypes& converted) {
    AttributeFitting(device, converted, type_attributes(network)).visit(network._ivalue());
}

}  // namespace ventral::models

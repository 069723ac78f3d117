#include "models/code_constants.hpp"

#include <cstdint>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

namespace ventral::models {
namespace {

namespace jit = torch::jit;

class Fitting {
public:
    Fitting(const std::string& device, const ConvertedTypes& converted)
        : device_(device), converted_(converted) {}

    void visit(jit::Block& block) const {
        for (auto* node : block.nodes()) {
            if (node->kind() == c10::prim::Constant)
                fit_constant(*node);
            else if (node->kind() == c10::aten::device)
                replace(*node, 0, device_.str());
            else
                fit_types(*node);
            for (auto* inner : node->blocks()) visit(*inner);
        }
    }

private:
    bool is_converted(at::ScalarType type) const {
        return converted_.count(c10::toString(type)) > 0;
    }

    void fit_constant(jit::Node& constant) const {
        if (!constant.hasAttribute(c10::attr::value)) return;
        const auto kind = constant.kindOf(c10::attr::value);
        if (constant.output()->type()->isSubtypeOf(*c10::DeviceObjType::get()))
            constant.s_(c10::attr::value, device_.str());
        else if (kind == jit::AttributeKind::t && constant.t(c10::attr::value).defined())
            constant.t_(c10::attr::value, fitted(constant.t(c10::attr::value)));
    }

    at::Tensor fitted(const at::Tensor& tensor) const {
        const auto type = is_converted(tensor.scalar_type()) ? at::kFloat : tensor.scalar_type();
        return tensor.to(device_, type);
    }

    /// `torch.to(x, 5)`: the type stands there as a number.
    void fit_types(jit::Node& node) const {
        const auto* schema = converted_.empty() ? nullptr : node.maybeSchema();
        if (!schema) return;
        for (std::size_t i = 0; i < schema->arguments().size() && i < node.inputs().size(); ++i) {
            if (schema->arguments()[i].name() != "dtype") continue;
            const auto type = jit::toIValue(node.input(i));
            if (type && type->isInt() && is_converted(static_cast<at::ScalarType>(type->toInt())))
                replace(node, i, static_cast<std::int64_t>(at::kFloat));
        }
    }

    static void replace(jit::Node& node, std::size_t input, const jit::IValue& value) {
        const jit::WithInsertPoint here(&node);
        node.replaceInput(input, node.owningGraph()->insertConstant(value));
    }

    at::Device device_;
    const ConvertedTypes& converted_;
};

}  // namespace

void fit_constants(const torch::jit::Module& network, const std::string& device,
                   const ConvertedTypes& converted) {
    const Fitting fitting(device, converted);
    for (auto* function : network._ivalue()->compilation_unit()->get_functions())
        if (auto* code = jit::tryToGraphFunction(*function)) fitting.visit(*code->graph()->block());
}

}  // namespace ventral::models

#include "models/network/code_constants.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// The types that stand in an operator's call as numbers, `torch.to(x, 5)`, by their places.
std::vector<std::pair<std::size_t, at::ScalarType>> types_in(const jit::Node& node) {
    std::vector<std::pair<std::size_t, at::ScalarType>> types;
    const auto* schema = node.maybeSchema();
    if (!schema) return types;
    for (std::size_t i = 0; i < schema->arguments().size() && i < node.inputs().size(); ++i) {
        if (schema->arguments()[i].name() != "dtype") continue;
        const auto type = jit::toIValue(node.input(i));
        if (type && type->isInt())
            types.emplace_back(i, static_cast<at::ScalarType>(type->toInt()));
    }
    return types;
}

bool is_product(const jit::Node& node) {
    constexpr std::array products = {"conv1d", "conv2d", "conv3d", "_convolution", "linear",
                                     "matmul", "mm",     "bmm",    "addmm",        "baddbmm"};
    return node.kind().is_aten() &&
           std::find(products.begin(), products.end(), std::string(node.kind().toUnqualString())) !=
               products.end();
}

/// A constant tensor of half precision, or what an operator was told to give in it.
bool is_half(const jit::Node& node) {
    if (node.kind() == c10::prim::Constant) {
        const auto value = jit::toIValue(node.output());
        return value && value->isTensor() && value->toTensor().defined() &&
               value->toTensor().scalar_type() == at::kHalf;
    }
    const auto types = types_in(node);
    return std::any_of(types.begin(), types.end(),
                       [](const auto& each) { return each.second == at::kHalf; });
}

bool has_product_of_halves(const jit::Block& block) {
    for (const auto* node : block.nodes()) {
        const auto inputs = node->inputs();
        if (is_product(*node) && std::any_of(inputs.begin(), inputs.end(), [](const auto* input) {
                return is_half(*input->node());
            }))
            return true;
        for (const auto* inner : node->blocks())
            if (has_product_of_halves(*inner)) return true;
    }
    return false;
}

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
            else {
                fit_types(*node);
                fit_choice_of_kernels(*node);
            }
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

    void fit_types(jit::Node& node) const {
        if (converted_.empty()) return;
        for (const auto& [place, type] : types_in(node))
            if (is_converted(type)) replace(node, place, static_cast<std::int64_t>(at::kFloat));
    }

    /// A trace says of each convolution how it was set up where it was traced, and that TF32 is
    /// allowed unless someone forbade it: three digits of float32's seven.
    static void fit_choice_of_kernels(jit::Node& node) {
        const auto* schema = node.maybeSchema();
        if (!schema) return;
        for (const auto& [name, wanted] :
             {std::pair{"benchmark", false}, {"deterministic", true}, {"allow_tf32", false}})
            if (const auto place = schema->argumentIndexWithName(name))
                replace(node, static_cast<std::size_t>(*place), wanted);
    }

    static void replace(jit::Node& node, std::size_t input, const jit::IValue& value) {
        const jit::WithInsertPoint here(&node);
        node.replaceInput(input, node.owningGraph()->insertConstant(value));
    }

    at::Device device_;
    const ConvertedTypes& converted_;
};

}  // namespace

bool multiplies_halves(const torch::jit::Module& network) {
    for (auto* function : network._ivalue()->compilation_unit()->get_functions())
        if (auto* code = jit::tryToGraphFunction(*function))
            if (has_product_of_halves(*code->graph()->block())) return true;
    return false;
}

void fit_constants(const torch::jit::Module& network, const std::string& device,
                   const ConvertedTypes& converted) {
    const Fitting fitting(device, converted);
    for (auto* function : network._ivalue()->compilation_unit()->get_functions())
        if (auto* code = jit::tryToGraphFunction(*function)) fitting.visit(*code->graph()->block());
}

}  // namespace ventral::models

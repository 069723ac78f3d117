#include "models/network/code_constants.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
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

std::optional<at::ScalarType> type_of_constant(const jit::Node& node) {
    if (node.kind() != c10::prim::Constant) return std::nullopt;
    const auto value = jit::toIValue(node.output());
    if (!value || !value->isTensor() || !value->toTensor().defined()) return std::nullopt;
    return value->toTensor().scalar_type();
}

bool is_told(const jit::Node& node, at::ScalarType type) {
    const auto types = types_in(node);
    return std::any_of(types.begin(), types.end(),
                       [&](const auto& each) { return each.second == type; });
}

/// Whether it may turn something into the type of something else: `x.type_as(y)`, `x.to(y.dtype)`.
bool takes_type_of_other(const jit::Node& node) {
    if (node.kind() == c10::aten::type_as || node.kind() == c10::prim::dtype) return true;
    const auto* schema = node.kind() == c10::aten::to ? node.maybeSchema() : nullptr;
    return schema && schema->argumentIndexWithName("other");
}

/// What the code does with half precision.
struct HalvesInCode {
    bool multiplies_half = false;
    bool multiplies_constant_bfloat = false;
    bool turns_into_bfloat = false;

    void note(const jit::Block& block) {
        for (const auto* node : block.nodes()) {
            turns_into_bfloat |= is_told(*node, at::kBFloat16) || takes_type_of_other(*node);
            if (is_product(*node))
                for (const auto* input : node->inputs()) note_factor(*input->node());
            for (const auto* inner : node->blocks()) note(*inner);
        }
    }

private:
    void note_factor(const jit::Node& factor) {
        const auto constant = type_of_constant(factor);
        multiplies_half |= constant == at::kHalf || is_told(factor, at::kHalf);
        multiplies_constant_bfloat |= constant == at::kBFloat16;
    }
};

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

ConvertedTypes multiplied_halves(const torch::jit::Module& network) {
    HalvesInCode found;
    for (auto* function : network._ivalue()->compilation_unit()->get_functions())
        if (auto* code = jit::tryToGraphFunction(*function)) found.note(*code->graph()->block());
    ConvertedTypes types;
    if (found.multiplies_half) types.insert(c10::toString(at::kHalf));
    if (found.multiplies_constant_bfloat && !found.turns_into_bfloat)
        types.insert(c10::toString(at::kBFloat16));
    return types;
}

void fit_constants(const torch::jit::Module& network, const std::string& device,
                   const ConvertedTypes& converted) {
    const Fitting fitting(device, converted);
    for (auto* function : network._ivalue()->compilation_unit()->get_functions())
        if (auto* code = jit::tryToGraphFunction(*function)) fitting.visit(*code->graph()->block());
}

}  // namespace ventral::models

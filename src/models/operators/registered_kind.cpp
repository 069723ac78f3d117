#include "models/operators/registered_kind.hpp"

#include <torch/csrc/jit/runtime/custom_operator.h>

namespace ventral::models {

c10::Symbol registered_kind(const std::string& name,
                            torch::jit::Operation (*operation_of)(const torch::jit::Node*)) {
    const auto kind = c10::Symbol::fromQualString(name);
    torch::jit::registerOperator(
        torch::jit::Operator(kind, operation_of, c10::AliasAnalysisKind::CONSERVATIVE));
    return kind;
}

bool is_own_operator(const torch::jit::Node& node) {
    static const auto own = c10::Symbol::fromQualString("namespaces::ventral");
    return node.kind().ns() == own;
}

}  // namespace ventral::models

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

}  // namespace ventral::models

#include "models/operators/graph_values.hpp"

#include <algorithm>

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/operators/pixel_pass.hpp"
#include "models/operators/registered_kind.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

c10::Symbol record_mark() { return c10::Symbol::attr("ventral_record"); }

/// Without those by records that are made before `user` runs.
std::size_t uses_seen_by(const jit::Node& user, const jit::Value& value) {
    return static_cast<std::size_t>(std::count_if(
        value.uses().begin(), value.uses().end(),
        [&](const jit::Use& use) { return !is_record(*use.user) || use.user->isAfter(&user); }));
}

}  // namespace

void mark_as_record(jit::Node& copy) {
    copy.i_(record_mark(), 1);
    for (auto* block : copy.blocks())
        visit_nodes(*block, [](jit::Node& node) { node.i_(record_mark(), 1); });
}

bool is_record(const jit::Node& node) { return node.hasAttribute(record_mark()); }

bool gives_new_tensor(const jit::Node& node) {
    const auto kind = node.kind();
    if (kind == pixel_pass_kind()) return pass_of(node).into != Into::shared_input;
    return kind == c10::aten::conv2d || kind == c10::aten::batch_norm ||
           kind == c10::Symbol::fromQualString("aten::_convolution") || is_own_operator(node);
}

bool is_private(const jit::Value& value, const jit::Node& user) {
    const auto* maker = value.node();
    return gives_new_tensor(*maker) && maker->owningBlock() == user.owningBlock() &&
           uses_seen_by(user, value) == 1;
}

bool is_unseen(const jit::Value& value, const jit::Node& user) {
    return is_private(value, user) && value.uses().size() == 1;
}

bool is_of_network(const jit::Value& value) {
    const auto kind = value.node()->kind();
    return kind == c10::prim::GetAttr || kind == c10::prim::Constant;
}

std::optional<std::vector<std::int64_t>> constant_numbers(const jit::Value& value) {
    if (const auto constant = jit::toIValue(&value)) {
        if (constant->isInt()) return std::vector{constant->toInt()};
        return constant->isIntList() ? std::optional(constant->toIntVector()) : std::nullopt;
    }
    const auto* list = value.node();
    if (list->kind() != c10::prim::ListConstruct || value.uses().size() != 1 ||
        !value.type()->isSubtypeOf(*c10::ListType::ofInts()))
        return std::nullopt;
    std::vector<std::int64_t> numbers;
    for (const auto* input : list->inputs()) {
        const auto constant = jit::toIValue(input);
        if (!constant || !constant->isInt()) return std::nullopt;
        numbers.push_back(constant->toInt());
    }
    return numbers;
}

bool is_constant_pair(const jit::Value& value) {
    const auto numbers = constant_numbers(value);
    return numbers && numbers->size() == 2;
}

void visit_nodes(jit::Block& block, const std::function<void(jit::Node&)>& visit) {
    for (auto* node = block.param_node()->next(); node != block.return_node();) {
        auto* next = node->next();
        for (auto* inner : node->blocks()) visit_nodes(*inner, visit);
        visit(*node);
        node = next;
    }
}

void replace(jit::Node& node, jit::Node& by) {
    by.copyMetadata(&node);
    by.insertBefore(&node);
    node.output()->replaceAllUsesWith(by.output());
    node.destroy();
}

}  // namespace ventral::models

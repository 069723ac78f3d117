#include "models/operators/pixel_steps.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <torch/csrc/jit/ir/ir.h>

#include "models/network/in_evaluation.hpp"
#include "models/operators/graph_values.hpp"
#include "models/operators/pixel_pass.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

jit::Node* insert_pass(jit::Graph& graph, const std::vector<jit::Value*>& inputs,
                       const PixelPass& pass, jit::Node& before) {
    auto* node = graph.create(pixel_pass_kind(), inputs);
    set_pass(*node, pass);
    node->copyMetadata(&before);
    return node->insertBefore(&before);
}

/// The inputs of a pass, and what it does with them; whether it may write into the first is settled
/// later, but for one that the network changes in place.
struct Found {
    std::vector<jit::Value*> inputs;
    PixelPass pass;
};

std::optional<Found> normalisation(jit::Node& node) {
    if (node.kind() != c10::aten::batch_norm) return std::nullopt;
    Found found{{node.input(0)}, {.normalises = true}};
    for (std::size_t i = 1; i <= 4; ++i) {
        if (!is_of_network(*node.input(i))) return std::nullopt;
        found.inputs.push_back(node.input(i));
    }
    const auto training = in_evaluation(*node.input(5));
    const auto epsilon = number_in_evaluation(*node.input(7));
    if (!training || *training || !epsilon) return std::nullopt;
    found.pass.epsilon = *epsilon;
    return found;
}

std::optional<Found> sum(jit::Node& node) {
    const bool in_place = node.kind() == c10::aten::add_;
    if (!in_place && node.kind() != c10::aten::add) return std::nullopt;
    if (node.inputs().size() != 3 || number_in_evaluation(*node.input(2)) != 1.0)
        return std::nullopt;
    for (std::size_t i = 0; i < 2; ++i)
        if (!node.input(i)->type()->isSubtypeOf(*c10::TensorType::get())) return std::nullopt;
    Found found{{node.input(0), node.input(1)},
                {.sum = in_place ? Sum::in_place : Sum::images_first}};
    if (is_private(*node.input(0), node)) return found;
    if (in_place) return std::nullopt;
    if (is_private(*node.input(1), node)) {
        std::swap(found.inputs[0], found.inputs[1]);
        found.pass.sum = Sum::images_second;
    }
    return found;
}

std::optional<Found> limit(jit::Node& node) {
    const auto step = limit_of_operator(node);
    if (!step) return std::nullopt;
    const bool in_place = node.kind() == c10::aten::relu_ || node.kind() == c10::aten::relu6_ ||
                          node.kind() == c10::aten::hardtanh_;
    Found found{{node.input(0)}, {.limit = *step}};
    if (in_place && !is_private(*node.input(0), node)) found.pass.into = Into::shared_input;
    return found;
}

std::optional<Found> step_of(jit::Node& node) {
    if (const auto found = normalisation(node)) return found;
    if (const auto found = sum(node)) return found;
    return limit(node);
}

/// Whether the steps of `next_node`, which alone uses what `first_node` gives, may be taken in one
/// pass behind those of it. Two tensors of a sum are read where it stands: until then nothing else
/// can have changed the first.
bool may_follow(const jit::Node& first_node, const jit::Node& next_node) {
    const auto first = pass_of(first_node), next = pass_of(next_node);
    if (first.into == Into::shared_input || first.limit.kind != LimitStep::Kind::none ||
        next.normalises)
        return false;
    return next.sum == Sum::none ||
           (first.sum == Sum::none && is_private(*first_node.input(0), first_node));
}

/// The pass of both, in place of `next`; `first` is gone. All tensors are read where they were read
/// before.
jit::Node* joined_passes(jit::Graph& graph, jit::Node& first, jit::Node& next) {
    auto pass = pass_of(first);
    const auto of_next = pass_of(next);
    auto& place = of_next.sum != Sum::none ? next : first;
    auto inputs = first.inputs().vec();
    if (of_next.sum != Sum::none) {
        inputs.push_back(next.input(1));
        pass.sum = of_next.sum;
    }
    pass.limit = of_next.limit;
    auto* both = insert_pass(graph, inputs, pass, place);
    next.output()->replaceAllUsesWith(both->output());
    next.destroy();
    first.destroy();
    return both;
}

jit::Node* joined_with_what_is_before(jit::Graph& graph, jit::Node& node) {
    auto* before = node.input(0)->node();
    if (before->kind() != pixel_pass_kind() || !is_unseen(*node.input(0), node) ||
        !may_follow(*before, node))
        return &node;
    return joined_passes(graph, *before, node);
}

void take_step(jit::Graph& graph, jit::Node& node, const Found& found) {
    auto* pass = insert_pass(graph, found.inputs, found.pass, node);
    node.output()->replaceAllUsesWith(pass->output());
    node.destroy();
    pass = joined_with_what_is_before(graph, *pass);
    auto settled = pass_of(*pass);
    if (settled.into != Into::shared_input)
        settled.into = is_unseen(*pass->input(0), *pass) ? Into::own_input : Into::new_tensor;
    set_pass(*pass, settled);
}

}  // namespace

void take_steps_at_once(jit::Graph& graph) {
    visit_nodes(*graph.block(), [&](jit::Node& node) {
        if (const auto found = step_of(node)) take_step(graph, node, *found);
    });
}

std::optional<LimitStep> taken_from(jit::Node& user, std::size_t input) {
    auto* maker = user.input(input)->node();
    if (maker->kind() != pixel_pass_kind() || !is_unseen(*user.input(input), user))
        return std::nullopt;
    const auto pass = pass_of(*maker);
    if (pass.normalises || pass.sum != Sum::none || !is_private(*maker->input(0), *maker))
        return std::nullopt;
    user.replaceInput(input, maker->input(0));
    maker->destroy();
    return pass.limit;
}

}  // namespace ventral::models

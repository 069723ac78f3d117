#include "models/network/random_operators.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>

#include "models/network/in_evaluation.hpp"
#include "models/recording/call_tree.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// What an operator is told of training, in evaluation mode; `open` is what cannot be known.
enum class Training { not_asked, on, off, open };

Training training_of(const jit::Node& node) {
    const auto* schema = node.maybeSchema();
    if (!schema) return Training::not_asked;
    for (const auto* name : {"train", "training"})
        if (const auto place = schema->argumentIndexWithName(name)) {
            const auto is_on = in_evaluation(*node.input(static_cast<std::size_t>(*place)));
            if (!is_on) return Training::open;
            return *is_on ? Training::on : Training::off;
        }
    return Training::not_asked;
}

bool is_called(const jit::Node& node, const std::string& part) {
    return std::string(node.kind().toUnqualString()).find(part) != std::string::npos;
}

/// The input that says which part an operator drops in training: of dropout, and of a recurrent
/// layer with some between its own; else null.
const jit::Value* dropped_part(const jit::Node& node) {
    const auto* schema = node.maybeSchema();
    if (!schema) return nullptr;
    const auto place = schema->argumentIndexWithName(is_called(node, "dropout") ? "p" : "dropout");
    return place ? node.input(static_cast<std::size_t>(*place)) : nullptr;
}

/// A number that `network`, whose forward the value is of, or a submodule holds as an attribute.
std::optional<double> attribute_of(const jit::Value& value, const jit::Module& network) {
    const auto& node = *value.node();
    if (node.kind() != c10::prim::GetAttr) return std::nullopt;
    const auto path = submodule_name(node.input(0), node.owningGraph()->inputs().at(0));
    if (!path) return std::nullopt;
    auto holder = network;
    std::istringstream names(*path);
    for (std::string name; std::getline(names, name, '.');) holder = holder.attr(name).toModule();
    const auto number = holder.attr(node.s(c10::attr::name));
    if (number.isDouble()) return number.toDouble();
    return number.isInt() ? std::optional(static_cast<double>(number.toInt())) : std::nullopt;
}

/// `network`: whose forward the node is of, or null.
bool always_draws(const jit::Node& node, const jit::Module* network, bool in_branch) {
    const auto training = training_of(node);
    if (const auto* part = dropped_part(node)) {
        const auto known = number_in_evaluation(*part);
        const auto share = known || !network ? known : attribute_of(*part, *network);
        return training == Training::on && (share ? *share > 0 : !in_branch);
    }
    return !in_branch && node.isNondeterministic() &&
           (training == Training::on || training == Training::not_asked);
}

bool has_generator(const jit::Node& node) {
    const auto* schema = node.maybeSchema();
    return schema && schema->argumentIndexWithName("generator");
}

void collect(const jit::Block& block, const jit::Module* network, bool in_branch,
             std::set<std::string>& names) {
    for (const auto* node : block.nodes()) {
        if (always_draws(*node, network, in_branch)) names.insert(node->kind().toUnqualString());
        const auto* left_out = block_for_training(*node);
        for (const auto* inner : node->blocks())
            if (inner != left_out) collect(*inner, network, in_branch || !left_out, names);
    }
}

/// Weights, brought into another shape: some networks standardise theirs in evaluation too.
bool is_weight(const jit::Value& value) {
    const auto* node = value.node();
    while (node->kind() == c10::aten::reshape || node->kind() == c10::aten::view)
        node = node->input(0)->node();
    return node->kind() == c10::prim::GetAttr || node->kind() == c10::prim::Constant;
}

void collect_on_batches(const jit::Block& block, std::set<std::string>& names) {
    visit_evaluated(block, [&](const jit::Node& node) {
        if (is_called(node, "batch_norm") && training_of(node) == Training::on &&
            !is_weight(*node.input(0)))
            names.insert(node.kind().toUnqualString());
    });
}

bool has_calls(const jit::Block& block) {
    return std::any_of(block.nodes().begin(), block.nodes().end(), [](const jit::Node* node) {
        const auto& inner = node->blocks();
        return node->kind() == c10::prim::CallMethod || node->kind() == c10::prim::CallFunction ||
               std::any_of(inner.begin(), inner.end(),
                           [](const jit::Block* each) { return has_calls(*each); });
    });
}

/// What `find` adds for forward with all that it calls in place, where arguments are known; where
/// some stay calls, as those of interfaces, also for each function of the network's code.
template <typename Find>
std::vector<std::string> names_in(const jit::Module& network, const Find& find) {
    std::set<std::string> names;
    const auto forward = network.get_method("forward").graph()->copy();
    jit::Inline(*forward);
    find(*forward->block(), &network, names);
    if (!has_calls(*forward->block())) return {names.begin(), names.end()};
    for (auto* function : network._ivalue()->compilation_unit()->get_functions())
        if (auto* code = jit::tryToGraphFunction(*function))
            find(*code->graph()->block(), nullptr, names);
    return {names.begin(), names.end()};
}

}  // namespace

std::vector<std::string> random_operators(const jit::Module& network) {
    return names_in(network, [](const jit::Block& block, const jit::Module* of_forward,
                                auto& names) { collect(block, of_forward, false, names); });
}

bool may_draw(const jit::Node& node) {
    if (training_of(node) == Training::off) return false;
    if (const auto* part = dropped_part(node)) return number_in_evaluation(*part) != 0.0;
    return node.isNondeterministic() || has_generator(node);
}

std::vector<std::string> operators_on_batches(const jit::Module& network) {
    return names_in(network, [](const jit::Block& block, const jit::Module*, auto& names) {
        collect_on_batches(block, names);
    });
}

}  // namespace ventral::models

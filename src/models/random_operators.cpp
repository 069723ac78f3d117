#include "models/random_operators.hpp"

#include <set>

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// What an operator says of training: nothing if it has no such argument or it is not constant.
enum class Training { not_asked, on, off, by_module };

Training training_of(const jit::Node& node) {
    const auto* schema = node.maybeSchema();
    if (!schema) return Training::not_asked;
    for (const auto* name : {"train", "training"})
        if (const auto place = schema->argumentIndexWithName(name)) {
            const auto value = jit::toIValue(node.input(static_cast<std::size_t>(*place)));
            if (!value || !value->isBool()) return Training::by_module;
            return value->toBool() ? Training::on : Training::off;
        }
    return Training::not_asked;
}

bool is_dropout(const jit::Node& node) {
    return std::string(node.kind().toUnqualString()).find("dropout") != std::string::npos;
}

void collect(const jit::Block& block, bool in_branch, std::set<std::string>& names) {
    for (const auto* node : block.nodes()) {
        const auto training = training_of(*node);
        const bool always = is_dropout(*node)
                                ? training == Training::on
                                : !in_branch && node->isNondeterministic() &&
                                      (training == Training::on || training == Training::not_asked);
        if (always) names.insert(node->kind().toUnqualString());
        for (const auto* inner : node->blocks()) collect(*inner, true, names);
    }
}

}  // namespace

std::vector<std::string> random_operators(const jit::Module& network) {
    std::set<std::string> names;
    for (auto* function : network._ivalue()->compilation_unit()->get_functions())
        if (auto* code = jit::tryToGraphFunction(*function))
            collect(*code->graph()->block(), false, names);
    return {names.begin(), names.end()};
}

}  // namespace ventral::models

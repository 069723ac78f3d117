#include "models/recording/layout_operators.hpp"

#include <set>

#include <torch/csrc/jit/ir/ir.h>

#include "models/network/in_evaluation.hpp"
#include "models/network/node_kind.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

bool reads_layout(const jit::Node& node) {
    return is_one_of(node, {"aten::as_strided", "aten::as_strided_", "aten::resize_",
                            "aten::resize_as_", "aten::set_", "aten::stride"});
}

}  // namespace

std::vector<std::string> layout_operators(const jit::Graph& graph) {
    std::set<std::string> names;
    visit_evaluated(*graph.block(), [&](const jit::Node& node) {
        if (reads_layout(node)) names.insert(node.kind().toUnqualString());
    });
    return {names.begin(), names.end()};
}

}  // namespace ventral::models

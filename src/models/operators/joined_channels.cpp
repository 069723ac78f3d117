#include "models/operators/joined_channels.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/network/in_evaluation.hpp"
#include "models/operators/channels_last.hpp"
#include "models/operators/graph_values.hpp"
#include "models/operators/limit_step.hpp"
#include "models/operators/pixel_steps.hpp"
#include "models/operators/registered_kind.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

using Limits = std::vector<LimitStep>;

at::Tensor joined(const std::vector<at::Tensor>& parts, const Limits& limits) {
    const auto& first = parts.front();
    std::int64_t channels = 0;
    const bool lie_alike = std::all_of(parts.begin(), parts.end(), [&](const at::Tensor& part) {
        if (!lies_in_channels_last(part)) return false;
        channels += part.size(1);
        return part.size(0) == first.size(0) && part.size(2) == first.size(2) &&
               part.size(3) == first.size(3);
    });
    if (!lie_alike) {
        std::vector<at::Tensor> limited;
        for (std::size_t i = 0; i < parts.size(); ++i) limited.push_back(limits[i].of(parts[i]));
        return at::cat(limited, 1);
    }
    auto size = image_size(first);
    size.channels = static_cast<std::size_t>(channels);
    auto result = empty_in_channels_last(first, size);
    auto* to = result.data_ptr<float>();
    const auto pixels = static_cast<std::size_t>(first.size(0)) * size.height * size.width;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto own = static_cast<std::size_t>(parts[i].size(1));
        join_channels(parts[i].data_ptr<float>(), {pixels, own}, limits[i].bounds(), size.channels,
                      to);
        to += own;
    }
    return result;
}

const c10::Symbol& joining_kind() {
    static const auto kind =
        registered_kind("ventral::cat", [](const jit::Node* node) -> jit::Operation {
            return [limits = limits_of(*node)](jit::Stack& stack) {
                std::vector<at::Tensor> parts(limits.size());
                for (auto part = parts.rbegin(); part != parts.rend(); ++part)
                    *part = jit::pop(stack).toTensor();
                jit::push(stack, joined(parts, limits));
            };
        });
    return kind;
}

/// Of channels, and of a list that is made for it.
bool joins_channels(const jit::Node& node) {
    if (node.kind() != c10::aten::cat || number_in_evaluation(*node.input(1)) != 1.0) return false;
    const auto& list = *node.input(0);
    return list.node()->kind() == c10::prim::ListConstruct && !list.node()->inputs().empty() &&
           list.uses().size() == 1 && list.node()->owningBlock() == node.owningBlock();
}

void join(jit::Graph& graph, jit::Node& node) {
    auto* list = node.input(0)->node();
    auto* joining = graph.create(joining_kind(), list->inputs());
    replace(node, *joining);
    list->destroy();
    Limits limits;
    for (std::size_t i = 0; i < joining->inputs().size(); ++i)
        limits.push_back(taken_from(*joining, i).value_or(LimitStep{}));
    set_limits(*joining, limits);
}

}  // namespace

void join_all_channels(jit::Graph& graph) {
    visit_nodes(*graph.block(), [&](jit::Node& node) {
        if (joins_channels(node)) join(graph, node);
    });
}

}  // namespace ventral::models

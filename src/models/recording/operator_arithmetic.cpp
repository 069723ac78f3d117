#include "models/recording/operator_arithmetic.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>
#include <string>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/network/node_kind.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

using Parts = std::vector<ArithmeticPart>;

Parts parts_of_convolution(jit::Node& node, bool is_transposed) {
    return {
        {Arithmetic::convolution, is_transposed ? node.input(0) : node.output(), node.input(1)}};
}

/// Of queries and keys with one tensor of weights for the projections of both and of the values.
Parts parts_of_attention(jit::Value* query, jit::Value* key, jit::Value* weights,
                         jit::Value* weights_behind) {
    return {{Arithmetic::projection, query, weights},
            {Arithmetic::attention, query, key},
            {Arithmetic::attention, query, key},
            {Arithmetic::projection, query, weights_behind}};
}

/// Attention, then two projections, of which the second takes what the first gives.
Parts parts_of_encoder_layer(jit::Node& node) {
    auto* input = node.input(0);
    auto parts = parts_of_attention(input, input, node.input(3), node.input(5));
    for (int i = 0; i < 2; ++i) parts.push_back({Arithmetic::projection, input, node.input(14)});
    return parts;
}

jit::Value* argument(jit::Node& node, const char* name) {
    return node.input(static_cast<std::size_t>(node.schema().argumentIndexWithName(name).value()));
}

/// What the argument is, if the graph says it.
c10::optional<jit::IValue> constant(jit::Node& node, const char* name) {
    return jit::toIValue(argument(node, name));
}

jit::Value* element(jit::Node& before, jit::Value* list, std::int64_t place) {
    auto& graph = *before.owningGraph();
    const jit::WithInsertPoint here(&before);
    auto* node = graph.create(c10::aten::__getitem__, {list, graph.insertConstant(place)});
    node->output()->setType(c10::TensorType::get());
    return graph.insertNode(node)->output();
}

/// Of recurrent layers one above the other, each in one or both directions. In `params` each
/// direction of a layer has the weights of what goes in, those of its own state, biases, and those
/// of the state's projection where there is one, which only a list that the graph makes tells.
Parts parts_of_recurrence(jit::Node& node) {
    const auto layers = constant(node, "num_layers");
    const auto biases = constant(node, "has_biases");
    const auto both = constant(node, "bidirectional");
    if (!layers || !biases || !both) return {};
    const std::int64_t directions = both->toBool() ? 2 : 1;
    const std::int64_t without_projection = biases->toBool() ? 4 : 2;
    auto* weights = argument(node, "params");
    const auto of_direction = weights->node()->kind() == c10::prim::ListConstruct
                                  ? static_cast<std::int64_t>(weights->node()->inputs().size()) /
                                        (layers->toInt() * directions)
                                  : without_projection;
    auto* output = node.output(0);
    Parts parts;
    for (std::int64_t layer = 0; layer < layers->toInt(); ++layer)
        for (std::int64_t direction = 0; direction < directions; ++direction) {
            const auto first = (layer * directions + direction) * of_direction;
            parts.push_back({Arithmetic::projection, layer == 0 ? node.input(0) : output,
                             element(node, weights, first)});
            // The output holds the states of all directions, whose weights are of one size.
            if (direction > 0) continue;
            parts.push_back({Arithmetic::projection, output, element(node, weights, first + 1)});
            if (of_direction > without_projection)
                parts.push_back({Arithmetic::product, output,
                                 element(node, weights, first + without_projection)});
        }
    return parts;
}

/// Of an Einstein sum of two factors, as `torch.einsum` takes them.
struct Subscripts {
    std::string first;  ///< of the first factor
    std::string output;
};

std::optional<Subscripts> subscripts_of(std::string equation) {
    std::erase_if(equation, [](unsigned char c) { return std::isspace(c) != 0; });
    const auto arrow = equation.find("->");
    const auto factors = equation.substr(0, arrow);
    const auto comma = factors.find(',');
    if (comma == factors.npos || factors.find(',', comma + 1) != factors.npos) return std::nullopt;
    Subscripts subscripts{factors.substr(0, comma), {}};
    if (arrow != equation.npos) {
        subscripts.output = equation.substr(arrow + 2);
    } else {  // those that stand once
        for (const char label : factors)
            if (std::count(factors.begin(), factors.end(), label) == 1) subscripts.output += label;
    }
    return subscripts;
}

/// The dimensions of the first factor that are not in the output; behind an ellipsis from the end.
std::vector<std::int64_t> summed_dimensions(const Subscripts& subscripts) {
    const auto& labels = subscripts.first;
    const auto ellipsis = labels.find("...");
    std::vector<std::int64_t> dimensions;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] == '.' || labels.find(labels[i]) < i ||
            subscripts.output.find(labels[i]) != std::string::npos)
            continue;
        const bool is_behind = ellipsis != labels.npos && i > ellipsis;
        dimensions.push_back(static_cast<std::int64_t>(i) -
                             (is_behind ? static_cast<std::int64_t>(labels.size()) : 0));
    }
    return dimensions;
}

Parts parts_of_einstein_sum(jit::Node& node) {
    const auto equation = jit::toIValue(node.input(0));
    if (!equation || !equation->isString()) return {};
    const auto subscripts = subscripts_of(equation->toStringRef());
    if (!subscripts) return {};
    return {{Arithmetic::sum, node.output(), element(node, node.input(1), 0),
             summed_dimensions(*subscripts)}};
}

}  // namespace

Parts arithmetic_of(jit::Node& node) {
    const std::string name = node.kind().toQualString();
    if (is_one_of(node, {"aten::_convolution", "aten::convolution"})) {
        const auto transposed = jit::toIValue(node.input(6));
        return parts_of_convolution(node,
                                    transposed && transposed->isBool() && transposed->toBool());
    }
    if (name.starts_with("aten::conv_transpose")) return parts_of_convolution(node, true);
    if (is_one_of(node, {"aten::conv1d", "aten::conv2d", "aten::conv3d"}))
        return parts_of_convolution(node, false);
    if (is_one_of(node, {"aten::linear", "aten::matmul", "aten::mm", "aten::bmm"}))
        return {{Arithmetic::product, node.output(), node.input(0)}};
    if (is_one_of(node, {"aten::addmm", "aten::baddbmm"}))
        return {{Arithmetic::product, node.output(), node.input(1)}};
    if (name == "aten::bilinear") return {{Arithmetic::convolution, node.output(), node.input(2)}};
    if (name == "aten::einsum") return parts_of_einstein_sum(node);
    if (is_one_of(node, {"aten::lstm", "aten::gru", "aten::rnn_tanh", "aten::rnn_relu"}))
        return parts_of_recurrence(node);
    if (is_one_of(node, {"aten::lstm_cell", "aten::gru_cell", "aten::rnn_tanh_cell",
                         "aten::rnn_relu_cell"}))
        return {{Arithmetic::projection, node.input(0), node.input(2)},
                {Arithmetic::projection, node.output(0), node.input(3)}};
    if (name == "aten::scaled_dot_product_attention")
        return {{Arithmetic::attention, node.input(0), node.input(1)},
                {Arithmetic::attention, node.output(), node.input(1)}};
    if (name == "aten::_native_multi_head_attention")
        return parts_of_attention(node.input(0), node.input(1), node.input(5), node.input(7));
    if (name == "aten::_transformer_encoder_layer_fwd") return parts_of_encoder_layer(node);
    return {};
}

std::int64_t for_each_value(const ArithmeticPart& part, const at::Tensor& other) {
    switch (part.arithmetic) {
        case Arithmetic::convolution:
            return other.numel() / std::max<std::int64_t>(other.size(0), 1);
        case Arithmetic::product:
            return other.size(-1);
        case Arithmetic::projection:
            return other.size(0);
        case Arithmetic::attention:
            return other.size(-2);
        case Arithmetic::sum:
            return std::accumulate(part.summed.begin(), part.summed.end(), std::int64_t{1},
                                   [&](auto count, auto axis) { return count * other.size(axis); });
    }
    return 0;
}

}  // namespace ventral::models

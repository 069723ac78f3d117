#include "models/operators/packed_convolution.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/network/in_evaluation.hpp"
#include "models/operators/channels_last.hpp"
#include "models/operators/graph_values.hpp"
#include "models/operators/registered_kind.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// libtorch's operators for weights in oneDNN's order; none in a libtorch without oneDNN.
struct Operators {
    c10::optional<c10::OperatorHandle> pack;
    c10::optional<c10::OperatorHandle> run;
};

const Operators& operators() {
    static const Operators found = [] {
        auto& dispatcher = c10::Dispatcher::singleton();
        return Operators{dispatcher.findSchema({"mkldnn_prepacked::conv2d_prepack", ""}),
                         dispatcher.findSchema({"mkldnn_prepacked::conv2d_run", ""})};
    }();
    return found;
}

/// The arguments of `F.conv2d` behind the images.
struct ConvolutionFilters {
    at::Tensor weight;
    c10::optional<at::Tensor> bias;
    std::vector<std::int64_t> stride, padding, dilation;
    std::int64_t groups = 1;
};

/// Takes the arguments off the stack.
ConvolutionFilters pop_filters(jit::Stack& stack) {
    const auto groups = jit::pop(stack).toInt();
    const auto dilation = jit::pop(stack).toIntVector();
    const auto padding = jit::pop(stack).toIntVector();
    const auto stride = jit::pop(stack).toIntVector();
    const auto bias = jit::pop(stack).toOptional<at::Tensor>();
    return {jit::pop(stack).toTensor(), bias, stride, padding, dilation, groups};
}

/// What `F.conv2d` would refuse goes there, for its message.
bool fits(const at::Tensor& images, const ConvolutionFilters& filters) {
    const auto& weight = filters.weight;
    if (filters.groups < 1 || weight.size(0) % filters.groups != 0) return false;
    if (images.size(1) != weight.size(1) * filters.groups) return false;
    if (filters.bias && (filters.bias->dim() != 1 || filters.bias->size(0) != weight.size(0) ||
                         filters.bias->scalar_type() != at::kFloat))
        return false;
    constexpr std::int64_t most = 1 << 20;
    for (const auto* pair : {&filters.stride, &filters.padding, &filters.dilation})
        if (pair->size() != 2 || std::max((*pair)[0], (*pair)[1]) > most) return false;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const auto on = static_cast<std::int64_t>(axis) + 2;
        if (filters.stride[axis] < 1 || filters.padding[axis] < 0 || filters.dilation[axis] < 1 ||
            images.size(on) + 2 * filters.padding[axis] <
                filters.dilation[axis] * (weight.size(on) - 1) + 1)
            return false;
    }
    return true;
}

/// A tensor, and how often it had been changed in place. Weights are loaded outside of inference
/// mode, which counts no changes.
class Unchanged {
public:
    explicit Unchanged(const at::Tensor& tensor)
        : tensor_(tensor), version_(tensor.is_inference() ? 0 : tensor._version()) {}

    bool is(const at::Tensor& other) const {
        return other.is_same(tensor_) && !other.is_inference() && other._version() == version_;
    }

private:
    at::Tensor tensor_;
    std::int64_t version_;
};

jit::IValue pack(const at::Tensor& images, const ConvolutionFilters& filters) {
    auto bias = filters.bias;
    if (bias) bias = bias->contiguous();
    jit::Stack stack{in_channels_last(filters.weight),
                     bias,
                     filters.stride,
                     filters.padding,
                     filters.dilation,
                     filters.groups,
                     images.sizes().vec(),
                     "none"};
    operators().pack->callBoxed(stack);
    return stack.front();
}

/// One convolution of a graph, with the weights of its first call. Which code computes a result
/// follows from the arguments of its call alone, so that it does not matter which call is first.
class PackedConvolution {
public:
    at::Tensor run(const at::Tensor& images, const ConvolutionFilters& filters) {
        const bool is_dense = is_image_like(images) && is_image_like(filters.weight);
        if (!is_dense || !operators().run || !fits(images, filters))
            return at::conv2d(images, filters.weight, filters.bias, filters.stride, filters.padding,
                              filters.dilation, filters.groups);
        std::call_once(is_packed_, [&] {
            packed_ = pack(images, filters);
            weight_.emplace(filters.weight);
            if (filters.bias) bias_.emplace(*filters.bias);
        });
        jit::Stack stack{in_channels_last(images),
                         has_packed(filters) ? packed_ : pack(images, filters)};
        operators().run->callBoxed(stack);
        return stack.front().toTensor();
    }

private:
    /// A network may change its weights; all else is constant.
    bool has_packed(const ConvolutionFilters& filters) const {
        const bool has_bias = bias_ ? filters.bias && bias_->is(*filters.bias) : !filters.bias;
        return weight_->is(filters.weight) && has_bias;
    }

    std::once_flag is_packed_;
    std::optional<Unchanged> weight_;
    std::optional<Unchanged> bias_;
    jit::IValue packed_;
};

const c10::Symbol& packed_kind() {
    static const auto kind =
        registered_kind("ventral::packed_convolution", [](const jit::Node*) -> jit::Operation {
            const auto convolution = std::make_shared<PackedConvolution>();
            return [convolution](jit::Stack& stack) {
                const auto filters = pop_filters(stack);
                const auto images = jit::pop(stack).toTensor();
                jit::push(stack, convolution->run(images, filters));
            };
        });
    return kind;
}

/// The place of `groups` among the arguments of a convolution of two dimensions whose filters are
/// the network's own, or nothing.
std::optional<std::size_t> place_of_groups(const jit::Node& node) {
    static const auto traced = c10::Symbol::fromQualString("aten::_convolution");
    if (node.kind() != c10::aten::conv2d && node.kind() != traced) return std::nullopt;
    if (!is_of_network(*node.input(1)) || !is_of_network(*node.input(2))) return std::nullopt;
    for (const std::size_t pair : {3, 4, 5})
        if (!is_constant_pair(*node.input(pair))) return std::nullopt;
    const std::size_t groups = node.kind() == traced ? 8 : 6;
    if (!jit::toIValue(node.input(groups))) return std::nullopt;
    return node.kind() == c10::aten::conv2d || in_evaluation(*node.input(6)) == false
               ? std::optional(groups)
               : std::nullopt;
}

/// Writes weights in a way that no version of theirs tells.
bool changes_unseen(const jit::Block& block) {
    for (const auto* node : block.nodes()) {
        const std::string name = node->kind().toQualString();
        if (name == "prim::data" || name == "aten::set_data") return true;
        for (const auto* inner : node->blocks())
            if (changes_unseen(*inner)) return true;
    }
    return false;
}

}  // namespace

bool can_be_packed(const jit::Node& node) { return place_of_groups(node).has_value(); }

void pack_convolutions(jit::Graph& graph) {
    if (changes_unseen(*graph.block())) return;
    visit_nodes(*graph.block(), [&](jit::Node& node) {
        const auto groups = place_of_groups(node);
        if (!groups) return;
        auto inputs = node.inputs().slice(0, 6).vec();
        inputs.push_back(node.input(*groups));
        replace(node, *graph.create(packed_kind(), inputs));
    });
}

}  // namespace ventral::models

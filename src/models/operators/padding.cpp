#include "models/operators/padding.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/network/in_evaluation.hpp"
#include "models/operators/channels_last.hpp"
#include "models/operators/graph_values.hpp"
#include "models/operators/limit_step.hpp"
#include "models/operators/packed_convolution.hpp"
#include "models/operators/pixel_steps.hpp"
#include "models/operators/registered_kind.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

c10::Symbol sizes_name() { return c10::Symbol::attr("sizes"); }
c10::Symbol value_name() { return c10::Symbol::attr("value"); }

/// What is put around images: {left, right, top, bottom}.
struct Padding {
    std::vector<std::int64_t> sizes;
    double value;
    LimitStep limit = {};  ///< of the images
};

/// Of `F.pad` with a constant, where nothing is cut off.
std::optional<Padding> padding_of(const jit::Node& node) {
    const std::string name = node.kind().toQualString();
    const bool is_general = name == "aten::pad";
    if (!is_general && name != "aten::constant_pad_nd") return std::nullopt;
    if (is_general) {
        const auto mode = jit::toIValue(node.input(2));
        if (!mode || !mode->isString() || mode->toStringRef() != "constant") return std::nullopt;
    }
    const auto* value = node.input(is_general ? 3 : 2);
    const auto constant = jit::toIValue(value);
    const auto number =
        constant && constant->isNone() ? std::optional(0.0) : number_in_evaluation(*value);
    const auto sizes = constant_numbers(*node.input(1));
    constexpr std::int64_t most = 1 << 20;
    const auto is_usual = [&](std::int64_t size) { return size >= 0 && size <= most; };
    if (!number || !sizes || sizes->size() != 4 ||
        !std::all_of(sizes->begin(), sizes->end(), is_usual))
        return std::nullopt;
    return Padding{*sizes, *number};
}

at::Tensor padded(const at::Tensor& images, const Padding& padding) {
    if (!lies_in_channels_last(images))
        return at::constant_pad_nd(padding.limit.of(images), padding.sizes, padding.value);
    const auto edge = [&](std::size_t side) {
        return static_cast<std::size_t>(padding.sizes[side]);
    };
    const Edges edges{edge(0), edge(1), edge(2), edge(3)};
    const auto size = image_size(images);
    const ImageSize outer{edges.top + size.height + edges.bottom,
                          edges.left + size.width + edges.right, size.channels};
    auto result = empty_in_channels_last(images, outer);
    for (std::int64_t i = 0; i < images.size(0); ++i) {
        const auto image = static_cast<std::size_t>(i) * size.channels;
        pad_image(images.data_ptr<float>() + image * size.height * size.width, size, edges,
                  static_cast<float>(padding.value), padding.limit.bounds(),
                  result.data_ptr<float>() + image * outer.height * outer.width);
    }
    return result;
}

const c10::Symbol& padding_kind() {
    static const auto kind =
        registered_kind("ventral::pad", [](const jit::Node* node) -> jit::Operation {
            return [padding = Padding{node->is(sizes_name()), node->f(value_name()),
                                      limits_of(*node).front()}](jit::Stack& stack) {
                const auto images = jit::pop(stack).toTensor();
                jit::push(stack, padded(images, padding));
            };
        });
    return kind;
}

/// Whether nothing that stands between two nodes of a block can change a tensor.
bool follows_directly(const jit::Node& node, const jit::Node& before) {
    if (node.owningBlock() != before.owningBlock()) return false;
    for (const auto* between = before.next(); between != &node; between = between->next())
        if (between->kind() != c10::prim::Constant && between->kind() != c10::prim::GetAttr &&
            between->kind() != c10::prim::ListConstruct && !is_record(*between))
            return false;
    return true;
}

void pad_in_convolution(jit::Graph& graph, jit::Node& convolution) {
    constexpr std::size_t place = 4;
    auto* pad = convolution.input(0)->node();
    const auto padding = padding_of(*pad);
    if (!padding || padding->value != 0 || !follows_directly(convolution, *pad)) return;
    const auto& sizes = padding->sizes;
    const auto left = sizes[0], top = sizes[2];
    if (left != sizes[1] || top != sizes[3]) return;
    const auto own = constant_numbers(*convolution.input(place)).value();
    const jit::WithInsertPoint here(&convolution);
    convolution.replaceInput(place, graph.insertConstant(std::vector{own[0] + top, own[1] + left}));
    convolution.replaceInput(0, pad->input(0));
    if (!pad->hasUses()) pad->destroy();
}

}  // namespace

void pad_in_convolutions(jit::Graph& graph) {
    visit_nodes(*graph.block(), [&](jit::Node& node) {
        if (can_be_packed(node)) pad_in_convolution(graph, node);
    });
}

void pad_rows(jit::Graph& graph) {
    visit_nodes(*graph.block(), [&](jit::Node& node) {
        const auto padding = padding_of(node);
        if (!padding) return;
        auto* rows = graph.create(padding_kind(), {node.input(0)});
        rows->is_(sizes_name(), padding->sizes);
        rows->f_(value_name(), padding->value);
        replace(node, *rows);
        set_limits(*rows, {taken_from(*rows, 0).value_or(LimitStep{})});
    });
}

}  // namespace ventral::models

#include "models/operators/max_pooling.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/operators/channels_last.hpp"
#include "models/operators/graph_values.hpp"
#include "models/operators/limit_step.hpp"
#include "models/operators/pixel_steps.hpp"
#include "models/operators/registered_kind.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// The arguments of `F.max_pool2d`; of pairs of equal numbers one may stand alone.
struct Windows {
    std::vector<std::int64_t> kernel, stride, padding, dilation;
    bool ceil_mode = false;
};

std::int64_t of_axis(const std::vector<std::int64_t>& numbers, std::size_t axis) {
    return numbers.size() == 1 ? numbers[0] : numbers.at(axis);
}

bool is_pair(const std::vector<std::int64_t>& numbers) {
    return numbers.size() == 1 || numbers.size() == 2;
}

/// Nothing for what libtorch refuses, and for dilated windows.
std::optional<PoolingAxis> axis_of(const Windows& windows, std::size_t axis, std::int64_t size) {
    constexpr std::int64_t most = 1 << 20;
    const auto kernel = of_axis(windows.kernel, axis);
    const auto stride = windows.stride.empty() ? kernel : of_axis(windows.stride, axis);
    const auto padding = of_axis(windows.padding, axis);
    if (kernel < 1 || kernel > most || stride < 1 || stride > most || padding < 0 ||
        padding > kernel / 2 || of_axis(windows.dilation, axis) != 1 || size + 2 * padding < kernel)
        return std::nullopt;
    const auto room = size + 2 * padding - kernel;
    auto outputs = (room + (windows.ceil_mode ? stride - 1 : 0)) / stride + 1;
    // The last window has to begin in the image, or in the padding before it.
    if ((outputs - 1) * stride >= size + padding) --outputs;
    return PoolingAxis{static_cast<std::size_t>(kernel), static_cast<std::size_t>(stride),
                       static_cast<std::size_t>(padding), static_cast<std::size_t>(outputs)};
}

at::Tensor pooled(const at::Tensor& images, const Windows& windows, const LimitStep& limit) {
    const auto by_libtorch = [&] {
        return limit.of(at::max_pool2d(images, windows.kernel, windows.stride, windows.padding,
                                       windows.dilation, windows.ceil_mode));
    };
    if (!lies_in_channels_last(images) || !is_pair(windows.kernel) ||
        !(windows.stride.empty() || is_pair(windows.stride)) || !is_pair(windows.padding) ||
        !is_pair(windows.dilation))
        return by_libtorch();
    const auto rows = axis_of(windows, 0, images.size(2));
    const auto columns = axis_of(windows, 1, images.size(3));
    if (!rows || !columns) return by_libtorch();
    const auto size = image_size(images);
    auto result = empty_in_channels_last(images, {rows->outputs, columns->outputs, size.channels});
    const auto values = size.height * size.width * size.channels;
    const auto outputs = rows->outputs * columns->outputs * size.channels;
    for (std::int64_t i = 0; i < images.size(0); ++i)
        max_pool(images.data_ptr<float>() + static_cast<std::size_t>(i) * values, size, *rows,
                 *columns, limit.bounds(),
                 result.data_ptr<float>() + static_cast<std::size_t>(i) * outputs);
    return result;
}

const c10::Symbol& pooling_kind() {
    static const auto kind =
        registered_kind("ventral::max_pool2d", [](const jit::Node* node) -> jit::Operation {
            return [limit = limits_of(*node).front()](jit::Stack& stack) {
                Windows windows;
                windows.ceil_mode = jit::pop(stack).toBool();
                for (auto* numbers :
                     {&windows.dilation, &windows.padding, &windows.stride, &windows.kernel})
                    *numbers = jit::pop(stack).toIntVector();
                const auto images = jit::pop(stack).toTensor();
                jit::push(stack, pooled(images, windows, limit));
            };
        });
    return kind;
}

}  // namespace

void pool_all_channels(jit::Graph& graph) {
    visit_nodes(*graph.block(), [&](jit::Node& node) {
        if (node.kind() != c10::aten::max_pool2d) return;
        auto* pooling = graph.create(pooling_kind(), node.inputs());
        replace(node, *pooling);
        set_limits(*pooling, {taken_from(*pooling, 0).value_or(LimitStep{})});
    });
}

}  // namespace ventral::models

#include "models/operators/pixel_pass.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

#include "models/operators/channels_last.hpp"
#include "models/operators/image_kernels.hpp"
#include "models/operators/registered_kind.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

c10::Symbol normalises_name() { return c10::Symbol::attr("normalises"); }
c10::Symbol epsilon_name() { return c10::Symbol::attr("epsilon"); }
c10::Symbol sum_name() { return c10::Symbol::attr("sum"); }
c10::Symbol into_name() { return c10::Symbol::attr("into"); }

/// The arguments of `F.batch_norm` behind the images.
struct Statistics {
    c10::optional<at::Tensor> weight, bias;
    c10::optional<at::Tensor> mean, variance;
};

bool is_per_channel(const c10::optional<at::Tensor>& tensor, std::int64_t channels) {
    return tensor && tensor->defined() && tensor->device().is_cpu() &&
           tensor->layout() == at::kStrided && tensor->scalar_type() == at::kFloat &&
           tensor->dim() == 1 && tensor->size(0) == channels;
}

bool fits(const at::Tensor& images, const Statistics& statistics) {
    const auto channels = images.size(1);
    for (const auto* optional : {&statistics.weight, &statistics.bias})
        if (*optional && (*optional)->defined() && !is_per_channel(*optional, channels))
            return false;
    return is_per_channel(statistics.mean, channels) &&
           is_per_channel(statistics.variance, channels);
}

struct ScaleAndShift {
    std::vector<float> scale;
    std::vector<float> shift;
};

/// In float32 with the roundings of libtorch's vector code: what they do to a channel is the same
/// for all its values, and grows where a network subtracts nearly equal numbers.
ScaleAndShift scale_and_shift(const Statistics& statistics, double epsilon) {
    const auto mean = statistics.mean->contiguous(), variance = statistics.variance->contiguous();
    const auto given = [&](const c10::optional<at::Tensor>& tensor, double otherwise) {
        return tensor && tensor->defined() ? tensor->contiguous() : at::full_like(mean, otherwise);
    };
    const auto weight = given(statistics.weight, 1), bias = given(statistics.bias, 0);
    ScaleAndShift all;
    all.scale.reserve(static_cast<std::size_t>(mean.size(0)));
    all.shift.reserve(static_cast<std::size_t>(mean.size(0)));
    for (std::int64_t c = 0; c < mean.size(0); ++c) {
        const auto spread = std::sqrt(variance.data_ptr<float>()[c] + static_cast<float>(epsilon));
        const auto scale = 1 / spread * weight.data_ptr<float>()[c];
        all.scale.push_back(scale);
        all.shift.push_back(std::fma(-mean.data_ptr<float>()[c], scale, bias.data_ptr<float>()[c]));
    }
    return all;
}

struct Arguments {
    at::Tensor images;
    Statistics statistics;
    at::Tensor other;
};

bool lie_alike(const at::Tensor& images, const at::Tensor& other) {
    return lies_in_channels_last(other) && other.sizes() == images.sizes();
}

at::Tensor taken_at_once(const PixelPass& pass, const Arguments& arguments) {
    const auto& images = arguments.images;
    ScaleAndShift of_channels;
    PixelSteps steps;
    steps.bounds = pass.limit.bounds();
    if (pass.normalises) {
        of_channels = scale_and_shift(arguments.statistics, pass.epsilon);
        steps.scale = of_channels.scale;
        steps.shift = of_channels.shift;
    }
    if (pass.sum != Sum::none) steps.other = arguments.other.data_ptr<float>();
    auto result = pass.into == Into::new_tensor ? at::empty_like(images) : images;
    const auto channels = static_cast<std::size_t>(images.size(1));
    const auto pixels = static_cast<std::size_t>(images.numel()) / channels;
    take_steps(images.data_ptr<float>(), {pixels, channels}, steps, result.data_ptr<float>());
    return result;
}

at::Tensor sum_by_libtorch(const PixelPass& pass, const at::Tensor& images,
                           const at::Tensor& other) {
    if (pass.sum == Sum::images_second) return at::add(other, images);
    if (pass.sum == Sum::images_first) return at::add(images, other);
    return (pass.into == Into::new_tensor ? images.clone() : images).add_(other);
}

at::Tensor taken_by_libtorch(const PixelPass& pass, const Arguments& arguments) {
    const auto& [images, statistics, other] = arguments;
    if (pass.normalises)
        return at::batch_norm(images, statistics.weight, statistics.bias, statistics.mean,
                              statistics.variance, /*training=*/false, /*momentum=*/0, pass.epsilon,
                              /*cudnn_enabled=*/false);
    if (pass.sum != Sum::none) return sum_by_libtorch(pass, images, other);
    return pass.limit.of(images, pass.into == Into::shared_input);
}

/// Each step apart if they cannot be taken at once, and all of it by the code that alone it would
/// have.
at::Tensor taken(const PixelPass& pass, Arguments arguments) {
    const auto& images = arguments.images;
    const bool at_once = lies_in_channels_last(images) &&
                         (!pass.normalises || fits(images, arguments.statistics)) &&
                         (pass.sum == Sum::none || lie_alike(images, arguments.other));
    if (at_once) return taken_at_once(pass, arguments);
    const bool limits = pass.limit.kind != LimitStep::Kind::none;
    if ((pass.normalises ? 1 : 0) + (pass.sum != Sum::none ? 1 : 0) + (limits ? 1 : 0) == 1)
        return taken_by_libtorch(pass, arguments);
    if (pass.normalises)
        arguments.images =
            taken({.normalises = true, .epsilon = pass.epsilon, .into = pass.into}, arguments);
    if (pass.sum != Sum::none)
        arguments.images = taken({.sum = pass.sum, .into = pass.into}, arguments);
    if (limits) arguments.images = taken({.limit = pass.limit}, arguments);
    return arguments.images;
}

Arguments pop_arguments(const PixelPass& pass, jit::Stack& stack) {
    Arguments arguments;
    if (pass.sum != Sum::none) arguments.other = jit::pop(stack).toTensor();
    if (pass.normalises)
        for (auto* statistic : {&arguments.statistics.variance, &arguments.statistics.mean,
                                &arguments.statistics.bias, &arguments.statistics.weight})
            *statistic = jit::pop(stack).toOptional<at::Tensor>();
    arguments.images = jit::pop(stack).toTensor();
    return arguments;
}

}  // namespace

const c10::Symbol& pixel_pass_kind() {
    static const auto kind =
        registered_kind("ventral::pixel_steps", [](const jit::Node* node) -> jit::Operation {
            return [pass = pass_of(*node)](jit::Stack& stack) {
                jit::push(stack, taken(pass, pop_arguments(pass, stack)));
            };
        });
    return kind;
}

PixelPass pass_of(const jit::Node& node) {
    return {node.i(normalises_name()) != 0, node.f(epsilon_name()),
            static_cast<Sum>(node.i(sum_name())), limits_of(node).front(),
            static_cast<Into>(node.i(into_name()))};
}

void set_pass(jit::Node& node, const PixelPass& pass) {
    node.i_(normalises_name(), pass.normalises ? 1 : 0);
    node.f_(epsilon_name(), pass.epsilon);
    node.i_(sum_name(), static_cast<int>(pass.sum));
    node.i_(into_name(), static_cast<int>(pass.into));
    set_limits(node, {pass.limit});
}

}  // namespace ventral::models

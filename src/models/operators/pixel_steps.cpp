#include "models/operators/pixel_steps.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/operators/channels_last.hpp"
#include "models/operators/graph_values.hpp"
#include "models/operators/registered_kind.hpp"
#include "models/recording/call_tree.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// Which tensor takes the result.
enum class Into {
    new_tensor,
    own_input,    ///< which nothing else sees
    shared_input  ///< which the network changes in place
};

/// What is written of a sum: libtorch's result has the type of the images if it is in place, else
/// it lies in memory as the first of the two.
enum class Sum {
    none,
    images_first,   ///< images + other
    images_second,  ///< other + images
    in_place        ///< images += other
};

/// What the node of a pass says of it.
struct PixelPass {
    bool normalises = false;
    double epsilon = 0;
    Sum sum = Sum::none;
    LimitStep limit = {};
    Into into = Into::new_tensor;
};

c10::Symbol normalises_name() { return c10::Symbol::attr("normalises"); }
c10::Symbol epsilon_name() { return c10::Symbol::attr("epsilon"); }
c10::Symbol sum_name() { return c10::Symbol::attr("sum"); }
c10::Symbol into_name() { return c10::Symbol::attr("into"); }

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

/// The arguments of `F.batch_norm` behind the images.
struct Statistics {
    c10::optional<at::Tensor> weight, bias;
    c10::optional<at::Tensor> mean, variance;
};

constexpr std::size_t statistic_count = 4;

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

const c10::Symbol& pass_kind() {
    static const auto kind =
        registered_kind("ventral::pixel_steps", [](const jit::Node* node) -> jit::Operation {
            return [pass = pass_of(*node)](jit::Stack& stack) {
                jit::push(stack, taken(pass, pop_arguments(pass, stack)));
            };
        });
    return kind;
}

jit::Node* insert_pass(jit::Graph& graph, const std::vector<jit::Value*>& inputs,
                       const PixelPass& pass, jit::Node& before) {
    auto* node = graph.create(pass_kind(), inputs);
    set_pass(*node, pass);
    node->copyMetadata(&before);
    return node->insertBefore(&before);
}

/// The inputs of a pass, and what it does with them.
struct Found {
    std::vector<jit::Value*> inputs;
    PixelPass pass;
};

std::optional<Found> normalisation(jit::Node& node) {
    if (node.kind() != c10::aten::batch_norm) return std::nullopt;
    Found found{{node.input(0)}, {.normalises = true}};
    for (std::size_t i = 1; i <= statistic_count; ++i) {
        if (!is_of_network(*node.input(i))) return std::nullopt;
        found.inputs.push_back(node.input(i));
    }
    const auto training = in_evaluation(*node.input(5));
    const auto epsilon = constant_number(*node.input(7));
    if (!training || *training || !epsilon) return std::nullopt;
    found.pass.epsilon = *epsilon;
    return found;
}

std::optional<Found> sum(jit::Node& node) {
    const bool in_place = node.kind() == c10::aten::add_;
    if (!in_place && node.kind() != c10::aten::add) return std::nullopt;
    if (node.inputs().size() != 3 || constant_number(*node.input(2)) != 1.0) return std::nullopt;
    for (std::size_t i = 0; i < 2; ++i)
        if (!node.input(i)->type()->isSubtypeOf(*c10::TensorType::get())) return std::nullopt;
    Found found{{node.input(0), node.input(1)},
                {.sum = in_place ? Sum::in_place : Sum::images_first}};
    if (is_private(*node.input(0), node)) {
        found.pass.into = in_place ? Into::own_input : Into::new_tensor;
        return found;
    }
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
    if (in_place)
        found.pass.into = is_private(*node.input(0), node) ? Into::own_input : Into::shared_input;
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
    if (before->kind() != pass_kind() || !is_unseen(*node.input(0), node) ||
        !may_follow(*before, node))
        return &node;
    return joined_passes(graph, *before, node);
}

void take_steps_of_block(jit::Graph& graph, jit::Block& block) {
    for (auto* node = block.param_node()->next(); node != block.return_node();) {
        for (auto* inner : node->blocks()) take_steps_of_block(graph, *inner);
        auto* next = node->next();
        if (const auto found = step_of(*node)) {
            auto* pass = insert_pass(graph, found->inputs, found->pass, *node);
            node->output()->replaceAllUsesWith(pass->output());
            node->destroy();
            pass = joined_with_what_is_before(graph, *pass);
            auto settled = pass_of(*pass);
            if (settled.into != Into::shared_input)
                settled.into =
                    is_unseen(*pass->input(0), *pass) ? Into::own_input : Into::new_tensor;
            set_pass(*pass, settled);
        }
        node = next;
    }
}

}  // namespace

void take_steps_at_once(jit::Graph& graph) { take_steps_of_block(graph, *graph.block()); }

std::optional<LimitStep> taken_from(jit::Node& user, std::size_t input) {
    auto* maker = user.input(input)->node();
    if (maker->kind() != pass_kind() || !is_unseen(*user.input(input), user)) return std::nullopt;
    const auto pass = pass_of(*maker);
    if (pass.normalises || pass.sum != Sum::none || !is_private(*maker->input(0), *maker))
        return std::nullopt;
    user.replaceInput(input, maker->input(0));
    maker->destroy();
    return pass.limit;
}

bool is_new_pixel_step(const jit::Node& node) {
    return node.kind() == pass_kind() && pass_of(node).into != Into::shared_input;
}

}  // namespace ventral::models

#include "models/recording/recorder.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <mutex>
#include <new>
#include <numeric>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "models/recording/channels_first.hpp"
#include "models/recording/layer_name.hpp"
#include "models/recording/layout_operators.hpp"
#include "models/recording/one_pass.hpp"
#include "models/recording/own_draws.hpp"
#include "models/recording/recording_graph.hpp"
#include "models/runtime/device_thread.hpp"
#include "models/runtime/torch_message.hpp"
#include "models/runtime/torch_reason.hpp"
#include "models/runtime/torch_runtime.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// The values of forward's arguments behind the image, which are to have defaults.
std::vector<c10::IValue> further_arguments(const Network& network) {
    const auto& arguments =
        network.module().get_method("forward").function().getSchema().arguments();
    if (arguments.size() < 2) throw core::InputError(network.path() + ": forward takes no images");
    if (!c10::TensorType::get()->isSubtypeOf(*arguments[1].type()))
        throw core::InputError(network.path() + ": forward takes " +
                               arguments[1].type()->annotation_str() +
                               ", not a batch of images export a network of one tensor");
    std::vector<c10::IValue> further;
    for (std::size_t i = 2; i < arguments.size(); ++i) {
        if (!arguments[i].default_value())
            throw core::InputError(network.path() + ": forward needs '" + arguments[i].name() +
                                   "' beside the images (no default) export a network of images");
        further.push_back(*arguments[i].default_value());
    }
    return further;
}

std::size_t value_count(BatchShape shape) {
    return static_cast<std::size_t>(
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

/// A tensor of its own in the network's layout and on its device: forward may change its input in
/// place.
at::Tensor input_tensor(std::span<const float> batch, BatchShape shape, const Network& network) {
    assert(batch.size() == value_count(shape));
    const auto view = at::from_blob(const_cast<float*>(batch.data()), shape, at::kFloat);
    const auto format = network.memory_layout() == MemoryLayout::channels_last
                            ? at::MemoryFormat::ChannelsLast
                            : at::MemoryFormat::Contiguous;
    constexpr bool without_waiting = false, as_a_copy = true;
    return view.to(at::Device(network.device()), at::kFloat, without_waiting, as_a_copy, format);
}

/// A row of real numbers for each stimulus.
bool has_rows(const at::Tensor& recorded, std::int64_t batch_size) {
    return recorded.layout() == at::kStrided && recorded.dim() >= 1 &&
           recorded.size(0) == batch_size && !recorded.is_complex();
}

/// What the first axis of a layer is, which is as long as there are stimuli.
enum class FirstAxis {
    stimuli,  ///< as far as is known
    tokens,   ///< and the stimuli are along another one: [token, stimulus, feature]
    fixed     ///< and none is of stimuli: [entry, feature] of a table
};

/// By what other stimuli, and another number of them, changed. A network that has its number in the
/// code may give as many rows for any.
FirstAxis first_axis(const at::Tensor& recorded, const at::Tensor& of_others,
                     std::int64_t other_size) {
    const auto before = recorded.sizes();
    const auto after = of_others.sizes();
    if (after == before && at::equal(recorded, of_others)) return FirstAxis::fixed;
    if (after.size() != before.size() || after[0] != before[0]) return FirstAxis::stimuli;
    for (std::size_t axis = 1; axis < before.size(); ++axis)
        if (before[axis] == before[0] && after[axis] == other_size) return FirstAxis::tokens;
    return FirstAxis::stimuli;
}

LayerShape shape_of(const at::Tensor& recorded) {
    // One number per stimulus is a layer of one feature.
    if (recorded.dim() == 1) return {1};
    return {recorded.sizes().begin() + 1, recorded.sizes().end()};
}

/// To a place of its own, as large as the tensor.
void copy_values(const at::Tensor& on_device, float* to) {
    auto recorded = on_device.is_quantized() ? on_device.dequantize() : on_device;
    // A GPU puts the values in order sooner than the CPU does, and then fills the place at once.
    if (!recorded.is_cpu()) recorded = recorded.to(at::kFloat).contiguous();
    if (recorded.is_cpu() && recorded.dim() == 4 && recorded.scalar_type() == at::kFloat &&
        !recorded.is_neg() && recorded.is_contiguous(at::MemoryFormat::ChannelsLast)) {
        const auto channels = static_cast<std::size_t>(recorded.size(1));
        const auto area = static_cast<std::size_t>(recorded.size(2) * recorded.size(3));
        const auto count = static_cast<std::size_t>(recorded.numel());
        for (std::size_t first = 0; first < count; first += channels * area)
            copy_channels_first(recorded.data_ptr<float>() + first, area, channels, to + first);
        return;
    }
    at::from_blob(to, recorded.sizes(), at::kFloat).copy_(recorded);
}

/// One of the passes that images take.
struct Pass {
    std::size_t number;
    std::size_t count;
    std::int64_t batch_size;
};

const std::string gpu_advice =
    " give its record a smaller batch_size, or leave the GPU to fewer ranks";

/// Which memory ran out.
bool is_of_gpu(const std::string& reason) {
    constexpr std::array words = {"CUDA", "cuDNN", "CUBLAS", "find an engine"};
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return reason.find(word) != std::string::npos; });
}

/// `x.view(...)` takes for granted how its tensor lies in memory.
std::string advice(const std::string& reason, const Network& network) {
    constexpr std::array words = {"view size is not compatible",
                                  "refer to a single memory location",
                                  "Tensor must have a last dimension with stride 1"};
    const bool by_layout = network.memory_layout() == MemoryLayout::channels_last &&
                           std::any_of(words.begin(), words.end(), [&](const char* word) {
                               return reason.find(word) != std::string::npos;
                           });
    return by_layout ? layout_advice : "";
}

/// Operators that would take the values of other places than in PyTorch.
std::string operators_that_mistake(const Network& network, const RecordingGraph& recording) {
    if (network.memory_layout() != MemoryLayout::channels_last) return {};
    return core::joined(recording.by_layout);
}

/// Of each different layer.
struct FirstAxes {
    std::once_flag once;
    std::vector<FirstAxis> of_slot;
};

}  // namespace

std::string forward_failed(const Network& network, BatchShape shape) {
    std::string sizes;
    for (const auto size : shape) core::add_part(sizes, std::to_string(size), " x ");
    return network.path() + ": forward failed for a batch of " + sizes;
}

struct LayerRecorder::Program {
    Network network;
    std::vector<std::string> layers;
    std::vector<c10::IValue> further_arguments;
    // The code is interpreted as it stands: an executor would specialise it by earlier calls.
    jit::Code code;
    std::string mistaken;  ///< operators, or nothing
    std::unique_ptr<FirstAxes> first_axes;

    using Recorded = std::vector<std::optional<at::Tensor>>;
    Recorded run(std::span<const float> batch, BatchShape shape) const;
    Recorded forward(std::span<const float> batch, BatchShape shape) const;
    std::vector<FirstAxis> find_first_axes(const Recorded& recorded, std::span<const float> batch,
                                           BatchShape shape) const;
    void check(const at::Tensor& recorded, std::size_t slot, std::int64_t batch_size) const;
    void copy(std::vector<std::optional<at::Tensor>> recorded,
              const std::vector<std::size_t>& slots, const Pass& pass,
              std::vector<LayerOutput>& outputs) const;
    template <typename Problem, typename Call>
    auto told(const Problem& problem, const Call& call) const -> decltype(call());
};

LayerRecorder::Program::Recorded LayerRecorder::Program::run(std::span<const float> batch,
                                                             BatchShape shape) const {
    auto recorded = forward(batch, shape);
    std::call_once(first_axes->once,
                   [&] { first_axes->of_slot = find_first_axes(recorded, batch, shape); });
    return recorded;
}

/// By a pass of another number of stimuli. Not for a single one, of which some networks drop the
/// axis, and which others take as the only one there ever is.
std::vector<FirstAxis> LayerRecorder::Program::find_first_axes(const Recorded& recorded,
                                                               std::span<const float> batch,
                                                               BatchShape shape) const {
    std::vector<FirstAxis> axes(recorded.size(), FirstAxis::stimuli);
    const auto is_doubtful = [&](const auto& tensor) {
        return tensor && has_rows(*tensor, shape[0]);
    };
    if (shape[0] == 1 || std::none_of(recorded.begin(), recorded.end(), is_doubtful)) return axes;
    auto of_others = shape;
    of_others[0] = shape[0] == 2 ? 3 : 2;
    std::vector<float> others(batch.rbegin(), batch.rend());  // even if all stimuli are the same
    others.insert(others.end(), batch.rbegin(), batch.rend());
    others.resize(value_count(of_others));
    try {
        const auto again = forward(others, of_others);
        for (std::size_t slot = 0; slot < recorded.size(); ++slot)
            if (is_doubtful(recorded[slot]) && again[slot])
                axes[slot] = first_axis(*recorded[slot], *again[slot], of_others[0]);
    } catch (const core::InputError& error) {
        core::rethrow_lack_of_memory(error);
        // It takes no other batches, so that nothing more can be known.
    }
    return axes;
}

LayerRecorder::Program::Recorded LayerRecorder::Program::forward(std::span<const float> batch,
                                                                 BatchShape shape) const {
    const auto lists =
        told([&] { return forward_failed(network, shape); },
             [&] {
                 const DrawsOfPass draws(batch);
                 jit::Stack stack{self_for_one_pass(network)};
                 stack.emplace_back(input_tensor(batch, shape, network));
                 stack.insert(stack.end(), further_arguments.begin(), further_arguments.end());
                 jit::InterpreterState(code).run(stack);
                 return stack;
             });

    std::vector<std::optional<at::Tensor>> recorded;
    for (const auto& list : lists) {
        const auto tensors = list.toTensorVector();
        recorded.emplace_back();
        if (!tensors.empty()) recorded.back() = tensors.back();
    }
    return recorded;
}

/// What `call` gives, or `problem()` with what libtorch says of it in one line. A GPU reports late:
/// what fails in forward may come out where its values are fetched.
template <typename Problem, typename Call>
auto LayerRecorder::Program::told(const Problem& problem, const Call& call) const
    -> decltype(call()) {
    try {
        return call();
    } catch (const std::exception& error) {
        const bool lacks_memory =
            core::failure_class_of(error) == core::FailureClass::out_of_memory;
        const auto reason = torch_reason(error);
        if (lacks_memory && !is_of_gpu(reason)) throw std::bad_alloc();
        throw_torch_failure(problem(), reason, lacks_memory ? gpu_advice : advice(reason, network));
    }
}

void LayerRecorder::Program::check(const at::Tensor& recorded, std::size_t slot,
                                   std::int64_t batch_size) const {
    const auto axis = first_axes->of_slot[slot];
    if (has_rows(recorded, batch_size) && axis == FirstAxis::stimuli) return;
    constexpr std::array details = {")", ", which are along another axis than the first)",
                                    ", but the same rows for any of them)"};
    std::string sizes;
    for (const auto size : recorded.sizes()) core::add_part(sizes, std::to_string(size), " x ");
    throw core::InputError(network.path() + ": layer '" + layers[slot] + "' gives [" + sizes +
                           "] (not a row of real numbers for each of " +
                           std::to_string(batch_size) + " stimuli" +
                           details.at(static_cast<std::size_t>(axis)));
}

/// Into the outputs of the layers with these slots, behind what the passes before gave; frees each
/// tensor as soon as it is copied.
void LayerRecorder::Program::copy(std::vector<std::optional<at::Tensor>> recorded,
                                  const std::vector<std::size_t>& slots, const Pass& pass,
                                  std::vector<LayerOutput>& outputs) const {
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const auto slot = slots[i];
        const auto layer = [&] { return network.path() + ": layer '" + layers[slot] + "' "; };
        if (!recorded[slot])
            throw core::InputError(layer() + "was not called for these images, or what it gave " +
                                   (parse_layer_name(layers[slot]).members.empty()
                                        ? "is None"
                                        : "has no such member"));
        check(*recorded[slot], slot, pass.batch_size);
        auto& output = outputs[i];
        if (pass.number == 0) output.shape = shape_of(*recorded[slot]);
        if (output.shape != shape_of(*recorded[slot]))
            throw core::InputError(layer() + "gives some images another shape than others");
        const auto count = static_cast<std::size_t>(recorded[slot]->numel());
        output.values.resize(pass.count * count);
        told([&] { return network.path() + ": forward failed"; },
             [&] { copy_values(*recorded[slot], output.values.data() + pass.number * count); });
        const auto next = slots.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        if (std::find(next, slots.end(), slot) == slots.end()) recorded[slot].reset();
    }
}

LayerRecorder::LayerRecorder(const Network& network, const std::vector<std::string>& layers)
    : layers_(layers) {
    std::vector<std::string> different;
    for (const auto& layer : layers) {
        const auto place = std::find(different.begin(), different.end(), layer);
        slots_.push_back(static_cast<std::size_t>(place - different.begin()));
        if (place == different.end()) different.push_back(layer);
    }
    const auto recording = recording_graph(network, different);
    program_ = std::make_shared<const Program>(Program{
        network, different, further_arguments(network), jit::Code(recording.graph, "record"),
        operators_that_mistake(network, recording), std::make_unique<FirstAxes>()});
}

void LayerRecorder::check_layout() const {
    if (!program_->mistaken.empty())
        throw core::InputError(program_->network.path() +
                               ": forward depends on how tensors lie in " + "memory (" +
                               program_->mistaken + ")" + layout_advice);
}

std::vector<LayerOutput> LayerRecorder::record(std::span<const float> images, BatchShape shape,
                                               std::vector<LayerOutput> used) const {
    check_layout();
    const auto of_pass = value_count(shape);
    assert(!images.empty() && images.size() % of_pass == 0);
    auto outputs = std::move(used);
    outputs.resize(layers_.size());
    on_thread_of(program_->network.device(), [&] {
        configure_torch_thread();
        const c10::InferenceMode inference;
        Pass pass{0, images.size() / of_pass, shape[0]};
        for (; pass.number < pass.count; ++pass.number)
            program_->copy(program_->run(images.subspan(pass.number * of_pass, of_pass), shape),
                           slots_, pass, outputs);
    });
    return outputs;
}

std::vector<std::optional<LayerShape>> LayerRecorder::shapes(std::span<const float> batch,
                                                             BatchShape shape) const {
    std::vector<std::optional<LayerShape>> shapes;
    on_thread_of(program_->network.device(), [&] {
        configure_torch_thread();
        const c10::InferenceMode inference;
        const auto recorded = program_->run(batch, shape);
        for (const auto slot : slots_) {
            shapes.emplace_back();
            if (recorded[slot] && has_rows(*recorded[slot], shape[0]) &&
                program_->first_axes->of_slot[slot] == FirstAxis::stimuli)
                shapes.back() = shape_of(*recorded[slot]);
        }
    });
    return shapes;
}

void LayerRecorder::look(std::span<const float> batch, BatchShape shape,
                         const std::function<void(std::size_t, const LayerOutput&)>& at) const {
    on_thread_of(program_->network.device(), [&] {
        configure_torch_thread();
        const c10::InferenceMode inference;
        const auto recorded = program_->forward(batch, shape);
        LayerOutput output;
        for (std::size_t layer = 0; layer < slots_.size(); ++layer) {
            const auto slot = slots_[layer];
            if (!recorded[slot] || !has_rows(*recorded[slot], shape[0])) continue;
            output.shape = shape_of(*recorded[slot]);
            output.values.resize(static_cast<std::size_t>(recorded[slot]->numel()));
            program_->told([&] { return forward_failed(program_->network, shape); },
                           [&] { copy_values(*recorded[slot], output.values.data()); });
            at(layer, output);
        }
    });
}

}  // namespace ventral::models

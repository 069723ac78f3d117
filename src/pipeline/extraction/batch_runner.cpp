#include "pipeline/extraction/batch_runner.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "core/are_finite.hpp"
#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/seconds_since.hpp"
#include "models/load_input.hpp"
#include "models/network/load_network.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "models/time_axis.hpp"
#include "pipeline/extraction/storable_layers.hpp"
#include "pipeline/inputs/stimulus_image.hpp"

namespace ventral::pipeline {
namespace {

std::vector<stimuli::Microsaccade> shifts_of(const ExtractRequest& request,
                                             const stimuli::TensorShape& shape) {
    if (request.trials == 1) return {};
    return stimuli::microsaccades(request.trials, request.model.visual_degrees, shape[1]);
}

void tell_doubtful(const models::Network& network, const std::vector<std::string>& layers) {
    for (const auto& doubtful : network.doubtful())
        for (const auto& layer : layers)
            if (layer == doubtful || layer.starts_with(doubtful + "["))
                core::log_warning(
                    network.path() + ": layer '" + layer + "' is one of several tensors, of " +
                    "which the first need not be the output of '" + doubtful +
                    "' (tracing returns inner ones too, in an order of its own; `ventral layers` "
                    "lists what there is to choose) tools/compare_layers compares them with "
                    "PyTorch's");
}

void find_odd_rows(BatchOutput& output) {
    for (std::size_t l = 0; l < output.layers.size(); ++l) {
        const std::span<const float> values = output.layers[l].values;
        if (core::are_finite(values)) continue;
        const auto features = values.size() / output.rows;
        std::size_t row = 0;
        while (core::are_finite(values.subspan(row * features, features))) ++row;
        output.odd_rows[l] = output.first_row + row;
    }
}

models::LayerRecorder recorder_of(const ExtractRequest& request, int local_rank) {
    for (const auto& layer : request.layers) check_storable_name(request.model, layer);
    const auto network = models::load_network(request.model, local_rank);
    tell_doubtful(network, request.layers);
    return {network, request.layers};
}

}  // namespace

core::TimeBins time_bins_of(const ExtractRequest& request) {
    return request.model.time ? request.model.time->bins : core::TimeBins{};
}

void throw_changed_shape(const models::ModelRecord& model, const std::string& layer) {
    throw core::InputError(model.origin + ": layer '" + layer +
                           "' gives some images another shape than others");
}

BatchRunner::BatchRunner(const ExtractRequest& request, int compression, int local_rank)
    : request_(request),
      compression_(compression),
      recorder_(recorder_of(request, local_rank)),
      shape_(models::input_shape(request.model)),
      shifts_(shifts_of(request, shape_)) {}

BatchRunner::~BatchRunner() { models::forget_compiled_operators(); }

std::size_t BatchRunner::batches() const {
    return core::ceil_divide(request_.stimuli.files.size(), batch_size());
}

std::size_t BatchRunner::padded(std::size_t images) const {
    return core::round_up(images, pass_size());
}

std::size_t BatchRunner::rows_in_chunk() const {
    return io::chunk_rows_of(batch_size(), request_.stimuli.files.size() * request_.trials);
}

BatchOutput BatchRunner::run(std::size_t batch) const {
    const auto first = batch * batch_size();
    const Images images{first, std::min(batch_size(), request_.stimuli.files.size() - first)};
    BatchOutput output;
    output.batch = batch;
    output.first_row = first * request_.trials;
    output.rows = images.count * request_.trials;
    models::configure_torch_thread();
    const auto start = std::chrono::steady_clock::now();
    const auto pixels = load(images);
    output.images_s = core::seconds_since(start);
    if (shifts_.empty())
        run_once(output, pixels, images.count);
    else
        run_trials(output, pixels);
    output.network_s = core::seconds_since(start) - output.images_s;
    find_odd_rows(output);
    if (compression_ > 0) pack(output);
    output.packing_s = core::seconds_since(start) - output.images_s - output.network_s;
    return output;
}

void BatchRunner::run_once(BatchOutput& output, const std::vector<float>& pixels,
                           std::size_t images) const {
    output.layers = record(pixels, spare());
    for (auto& layer : output.layers)
        layer.values.resize(layer.values.size() / padded(images) * images);
}

void BatchRunner::run_trials(BatchOutput& output, const std::vector<float>& pixels) const {
    output.layers = spare();
    std::vector<models::LayerOutput> recorded;
    for (std::size_t trial = 0; trial < shifts_.size(); ++trial) {
        recorded = record(shifted(pixels, shifts_[trial]), std::move(recorded));
        add_trial(output, trial, recorded);
    }
}

std::vector<models::LayerOutput> BatchRunner::record(const std::vector<float>& pixels,
                                                     std::vector<models::LayerOutput> used) const {
    auto layers = recorder_.record(
        pixels,
        {static_cast<std::int64_t>(pass_size()), static_cast<std::int64_t>(shape_[0]),
         static_cast<std::int64_t>(shape_[1]), static_cast<std::int64_t>(shape_[2])},
        std::move(used));
    for (std::size_t l = 0; l < layers.size() && request_.model.time; ++l)
        layers[l] = models::time_first(layers[l], request_.model, request_.layers[l]);
    return layers;
}

std::vector<models::LayerOutput> BatchRunner::spare() const {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return {};
    auto layers = std::move(spare_.back());
    spare_.pop_back();
    return layers;
}

void BatchRunner::reuse(std::vector<models::LayerOutput> layers) const {
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(layers));
}

std::vector<float> BatchRunner::shifted(std::span<const float> pixels,
                                        const stimuli::Microsaccade& shift) const {
    const std::size_t size = shape_[0] * shape_[1] * shape_[2];
    std::vector<float> moved;
    moved.reserve(pixels.size());
    for (std::size_t at = 0; at < pixels.size(); at += size) {
        const auto image =
            stimuli::shifted(pixels.subspan(at, size), shape_, shift.x_pixels, shift.y_pixels);
        moved.insert(moved.end(), image.begin(), image.end());
    }
    return moved;
}

void BatchRunner::add_trial(BatchOutput& output, std::size_t trial,
                            const std::vector<models::LayerOutput>& recorded) const {
    output.layers.resize(recorded.size());
    for (std::size_t l = 0; l < recorded.size(); ++l) {
        const auto& values = recorded[l].values;
        const std::size_t features = values.size() / padded(output.rows / request_.trials);
        auto& layer = output.layers[l];
        if (trial > 0 && layer.shape != recorded[l].shape)
            throw_changed_shape(request_.model, request_.layers[l]);
        layer.shape = recorded[l].shape;
        layer.values.resize(output.rows * features);
        for (std::size_t row = trial; row < output.rows; row += request_.trials)
            std::copy_n(values.data() + row / request_.trials * features, features,
                        layer.values.data() + row * features);
    }
}

/// Shapes stay; the values' memory serves the next batch at once.
void BatchRunner::pack(BatchOutput& output) const {
    const auto chunk_rows = rows_in_chunk();
    std::vector<models::LayerOutput> used;
    for (auto& layer : output.layers) {
        const auto features = layer.values.size() / output.rows;
        auto& chunks = output.packed.emplace_back();
        for (std::size_t first = 0; first < output.rows; first += chunk_rows) {
            const auto rows = std::min(chunk_rows, output.rows - first);
            const auto values =
                std::span<const float>(layer.values).subspan(first * features, rows * features);
            chunks.push_back(io::pack_rows(
                values, {rows, chunk_rows, std::max<std::size_t>(1, time_bins_of(request_).size())},
                compression_));
        }
        used.push_back({{}, std::exchange(layer.values, {})});
    }
    reuse(std::move(used));
}

std::vector<float> BatchRunner::load(const Images& images) const {
    const std::size_t size = shape_[0] * shape_[1] * shape_[2];
    std::vector<float> values(padded(images.count) * size);
    for (std::size_t i = 0; i < padded(images.count); ++i) {
        float* to = values.data() + i * size;
        if (i >= images.count) {
            std::copy_n(to - size, size, to);
            continue;
        }
        const auto image = load_image(images.first + i);
        std::copy(image.begin(), image.end(), to);
    }
    return values;
}

std::vector<float> BatchRunner::load_image(std::size_t row) const {
    std::vector<float> values;
    with_image(request_.stimuli, row, request_.access, [&](const std::string& file) {
        values = models::load_input(request_.model, file, request_.stimuli.visual_degrees[row]);
    });
    return values;
}

}  // namespace ventral::pipeline

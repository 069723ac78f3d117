#include "models/layout_mistakes.hpp"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <torch/csrc/jit/api/module.h>

#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "models/layout_operators.hpp"
#include "models/random_operators.hpp"

namespace ventral::models {
namespace {

/// In units of the norm.
constexpr double most_by_rounding = 0.01;

using Outputs = std::vector<std::optional<LayerOutput>>;

/// Nothing if they tell nothing.
std::optional<Outputs> outputs_of(const Network& network, std::span<const float> batch,
                                  BatchShape shape) {
    try {
        const LayerRecorder recorder(network, network.tensors());
        auto outputs = recorder.outputs(batch, shape);
        recorder.check_layout();
        if (!random_operators(network.module()).empty()) return std::nullopt;
        return outputs;
    } catch (const core::InputError&) {
        return std::nullopt;
    }
}

/// Norm of the difference by the norm of what is right; values that are no numbers are left out.
double relative_difference(const std::vector<float>& values, const std::vector<float>& right) {
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        if (!std::isfinite(values[i]) || !std::isfinite(right[i])) continue;
        const double by = double{values[i]} - double{right[i]};
        difference += by * by;
        norm += double{right[i]} * double{right[i]};
    }
    return difference == 0 ? 0 : std::sqrt(difference / norm);
}

}  // namespace

std::optional<std::string> mistaken_in_layout(Network channels_last, std::span<const float> batch,
                                              BatchShape shape) {
    const auto path = channels_last.path();
    const auto device = channels_last.device();
    const auto tensors = channels_last.tensors();
    const auto given = outputs_of(channels_last, batch, shape);
    if (!given) return std::nullopt;
    channels_last = Network::load(path, {MemoryLayout::contiguous, device});
    const auto right = outputs_of(channels_last, batch, shape);
    if (!right) return std::nullopt;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto& ours = (*given)[i];
        const auto& theirs = (*right)[i];
        if (!ours || !theirs || ours->shape != theirs->shape) continue;
        const double by = relative_difference(ours->values, theirs->values);
        if (by > most_by_rounding)
            return path + ": layer '" + tensors[i] +
                   "' has other values in memory_layout = \"channels_last\" than in PyTorch (they "
                   "differ by " +
                   core::fixed_text(by, 2) +
                   " of their norm: forward writes into a tensor by way of a view that is a copy "
                   "there)" +
                   layout_advice;
    }
    return std::nullopt;
}

}  // namespace ventral::models

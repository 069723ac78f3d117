#include "models/layout_mistakes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
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

/// What has less than this of the usual size may be nothing but rounding.
constexpr double least_size = 1e-3;

/// So much of the values of a layer that two of them can be compared: their products with a few
/// fixed vectors of random signs. The mean square of the products of a difference is its squared
/// norm on average, by whatever it differs (Johnson and Lindenstrauss 1984; the signs: Achlioptas
/// 2003); with this many the estimate is below a tenth of the norm once in ten million times.
struct Sketch {
    static constexpr std::size_t count = 8;

    LayerShape shape;
    std::size_t size = 0;
    double squares = 0;
    std::array<double, count> products{};
};

/// Of well mixed bits for a number (splitmix64, Steele et al. 2014).
std::uint64_t mixed(std::uint64_t number) {
    number = (number + 1) * 0x9e3779b97f4a7c15U;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9U;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebU;
    return number ^ (number >> 31);
}

/// Values that are no numbers count as 0.
Sketch sketch_of(const LayerOutput& output) {
    Sketch sketch;
    sketch.shape = output.shape;
    sketch.size = output.values.size();
    for (std::size_t i = 0; i < output.values.size(); ++i) {
        if (!std::isfinite(output.values[i])) continue;
        const double value = output.values[i];
        const auto signs = mixed(i);
        sketch.squares += value * value;
        for (std::size_t k = 0; k < Sketch::count; ++k)
            sketch.products[k] += (signs >> k & 1U) != 0 ? value : -value;
    }
    return sketch;
}

/// By layer; nothing for one that cannot be had.
using Sketches = std::vector<std::optional<Sketch>>;

/// Nothing if they tell nothing.
std::optional<Sketches> sketches_of(const Network& network, std::span<const float> batch,
                                    BatchShape shape) {
    try {
        const LayerRecorder recorder(network, network.tensors());
        Sketches sketches(recorder.layers().size());
        recorder.look(batch, shape, [&](std::size_t layer, const LayerOutput& output) {
            sketches[layer] = sketch_of(output);
        });
        recorder.check_layout();
        if (!random_operators(network.module()).empty()) return std::nullopt;
        return sketches;
    } catch (const core::InputError&) {
        return std::nullopt;
    }
}

double root_mean_square(const Sketch& sketch) {
    return std::sqrt(sketch.squares / static_cast<double>(std::max<std::size_t>(sketch.size, 1)));
}

/// The median over the layers, or that of the images.
double usual_size(const Sketches& sketches, std::span<const float> batch) {
    std::vector<double> sizes;
    for (const auto& sketch : sketches)
        if (sketch) sizes.push_back(root_mean_square(*sketch));
    const double of_images = root_mean_square(sketch_of({{}, {batch.begin(), batch.end()}}));
    if (sizes.empty()) return of_images;
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    return std::max(*middle, of_images);
}

/// Norm of the difference by that of what is right, or by what it would be at `least`.
double relative_difference(const Sketch& given, const Sketch& right, double least) {
    double squares = 0;
    for (std::size_t k = 0; k < Sketch::count; ++k) {
        const double by = given.products[k] - right.products[k];
        squares += by * by / static_cast<double>(Sketch::count);
    }
    const double size = std::max(root_mean_square(right), least);
    const double norm = size * std::sqrt(static_cast<double>(right.size));
    return squares == 0 ? 0 : std::sqrt(squares) / norm;
}

}  // namespace

std::optional<std::string> mistaken_in_layout(Network channels_last, std::span<const float> batch,
                                              BatchShape shape) {
    const auto path = channels_last.path();
    const auto device = channels_last.device();
    const auto tensors = channels_last.tensors();
    const auto given = sketches_of(channels_last, batch, shape);
    if (!given) return std::nullopt;
    channels_last = Network::load(path, {MemoryLayout::contiguous, device});
    const auto right = sketches_of(channels_last, batch, shape);
    if (!right) return std::nullopt;
    const double least = least_size * usual_size(*right, batch);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto& ours = (*given)[i];
        const auto& theirs = (*right)[i];
        if (!ours || !theirs || ours->shape != theirs->shape) continue;
        const double by = relative_difference(*ours, *theirs, least);
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

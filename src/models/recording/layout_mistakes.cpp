#include "models/recording/layout_mistakes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <optional>
#include <utility>
#include <vector>

#include <torch/csrc/jit/api/module.h>

#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "models/made_up_images.hpp"
#include "models/recording/layout_operators.hpp"
#include "models/recording/own_draws.hpp"
#include "models/recording/recording_graph.hpp"

namespace ventral::models {
namespace {

/// In units of the norm.
constexpr double most_by_rounding = 0.01;

/// What has less than this of the usual size may be nothing but rounding, also of what is larger
/// and was normalised since.
constexpr double least_size = 0.3;

/// A network that takes so long is not run once more.
constexpr double most_seconds = 10;

/// So much of the values of a layer that two of them can be compared: each value, with a random
/// sign, is added to one of a few sums. The squares of what two such sketches differ by add up to
/// the squared norm of the difference on average (count sketch; Charikar, Chen and Farach-Colton
/// 2002); where many values differ the estimate is hardly ever below half of the norm.
struct Sketch {
    static constexpr std::size_t count = 64;

    LayerShape shape;
    std::size_t size = 0;
    bool is_finite = true;
    double squares = 0;
    std::array<double, count> sums{};
};

/// Of well mixed bits for a number (splitmix64, Steele et al. 2014).
std::uint64_t mixed(std::uint64_t number) {
    number = (number + 1) * 0x9e3779b97f4a7c15U;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9U;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebU;
    return number ^ (number >> 31);
}

Sketch sketch_of(const LayerOutput& output) {
    Sketch sketch;
    sketch.shape = output.shape;
    sketch.size = output.values.size();
    for (std::size_t i = 0; i < output.values.size(); ++i) {
        if (!std::isfinite(output.values[i])) sketch.is_finite = false;
        const double value = output.values[i];
        const auto bits = mixed(i);
        sketch.squares += value * value;
        const double sign = 2 * static_cast<double>(bits >> 63) - 1;
        sketch.sums[bits % Sketch::count] += sign * value;
    }
    return sketch;
}

/// By layer; nothing for one that cannot be had.
using Sketches = std::vector<std::optional<Sketch>>;

Sketches sketches_of(const LayerRecorder& recorder, BatchShape shape) {
    Sketches sketches(recorder.layers().size());
    recorder.look(made_up_images(shape), shape, [&](std::size_t layer, const LayerOutput& output) {
        sketches[layer] = sketch_of(output);
    });
    return sketches;
}

double root_mean_square(const Sketch& sketch) {
    return std::sqrt(sketch.squares / static_cast<double>(std::max<std::size_t>(sketch.size, 1)));
}

/// The median over the layers, or that of the images.
double usual_size(const Sketches& sketches, BatchShape shape) {
    std::vector<double> sizes;
    for (const auto& sketch : sketches)
        if (sketch && sketch->is_finite) sizes.push_back(root_mean_square(*sketch));
    const double of_images = root_mean_square(sketch_of({{}, made_up_images(shape)}));
    if (sizes.empty()) return of_images;
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    return std::max(*middle, of_images);
}

/// Norm of the difference by that of what is right, or by what it would be at `least`.
double relative_difference(const Sketch& given, const Sketch& right, double least) {
    double squares = 0;
    for (std::size_t k = 0; k < Sketch::count; ++k) {
        const double by = given.sums[k] - right.sums[k];
        squares += by * by;
    }
    const double size = std::max(root_mean_square(right), least);
    const double norm = size * std::sqrt(static_cast<double>(right.size));
    return squares == 0 ? 0 : std::sqrt(squares) / norm;
}

struct Shown {
    BatchShape shape;
    Sketches layers;
};

Shown show(const LayerRecorder& recorder, InputShape input,
           const std::vector<std::int64_t>& images) {
    return on_a_batch(input, images, [&](BatchShape shape) {
        return Shown{shape, sketches_of(recorder, shape)};
    });
}

/// The first layer that differs by too much, and by how much.
std::optional<std::pair<std::size_t, double>> mistaken_layer(const Shown& given,
                                                             const Shown& right) {
    const double least = least_size * usual_size(right.layers, right.shape);
    for (std::size_t layer = 0; layer < right.layers.size(); ++layer) {
        const auto& ours = given.layers[layer];
        const auto& theirs = right.layers[layer];
        if (!ours || !theirs || ours->shape != theirs->shape) continue;
        if (!ours->is_finite || !theirs->is_finite) continue;
        const double by = relative_difference(*ours, *theirs, least);
        if (by > most_by_rounding) return std::pair(layer, by);
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> mistaken_in_layout(Network channels_last, InputShape input,
                                              std::int64_t batch_size) try {
    const auto start = std::clock();
    const auto path = channels_last.path();
    const NetworkOptions in_order{MemoryLayout::contiguous, channels_last.device()};
    const auto tensors = channels_last.tensors();
    const auto drawn_before = draws_so_far();
    using Images = std::vector<std::int64_t>;
    // Has the network to itself, and so ends with it.
    std::optional<LayerRecorder> recorder(std::in_place, channels_last, tensors);
    { const Network let_go = std::move(channels_last); }
    const auto given = show(*recorder, input, batch_size == 1 ? Images{1} : Images{2, 1});
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (draws_so_far() != drawn_before || seconds > most_seconds) return std::nullopt;
    recorder.reset();
    const auto right = Network::load(path, in_order);
    recorder.emplace(right, tensors);
    const auto found = mistaken_layer(given, show(*recorder, input, {given.shape[0]}));
    if (!found || !recording_graph(right, {tensors[found->first]}).by_layout.empty())
        return std::nullopt;
    return path + ": layer '" + tensors[found->first] +
           "' has other values in memory_layout = \"channels_last\" than in PyTorch (they differ "
           "by " +
           core::fixed_text(found->second, 2) +
           " of their norm, most likely since forward writes into a tensor by way of a view that "
           "is a copy there)" +
           layout_advice;
} catch (const core::InputError&) {
    return std::nullopt;
}

}  // namespace ventral::models

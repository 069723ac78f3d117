#include "models/builtin/demo_network.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>

#include <torch/script.h>

#include "core/errors.hpp"
#include "core/portable_random.hpp"

namespace ventral::models {
namespace {

constexpr std::size_t orientations = 9;
constexpr int gabor_pixels = 13;
constexpr double cycles_per_pixel = 0.125;
constexpr double gabor_sigma = 3.0;
/// Channels of stages 2 to 7. Each stage has at least one less than what it sees, since contrasts
/// leave out the sum; 26 is enough for the 25 components of PLS.
constexpr std::size_t channels[] = {orientations - 1, 30, 29, 28, 27, 26};

/// Filters of one convolution, [out × in × height × width], in row-major order.
struct Filters {
    std::vector<std::int64_t> shape;
    std::vector<float> weights;

    std::size_t count() const { return static_cast<std::size_t>(shape[0]); }
    std::size_t size() const { return weights.size() / count(); }
};

Filters empty_filters(std::size_t out, std::size_t in, int pixels) {
    Filters filters;
    filters.shape = {static_cast<std::int64_t>(out), static_cast<std::int64_t>(in), pixels, pixels};
    filters.weights.resize(out * in * static_cast<std::size_t>(pixels * pixels));
    return filters;
}

/// Takes out the mean (weighted by `envelope`) and scales to norm one.
void standardise(std::vector<double>& filter, const std::vector<double>& envelope) {
    const double mean = std::accumulate(filter.begin(), filter.end(), 0.0) /
                        std::accumulate(envelope.begin(), envelope.end(), 0.0);
    double squares = 0;
    for (std::size_t i = 0; i < filter.size(); ++i) {
        filter[i] -= mean * envelope[i];
        squares += filter[i] * filter[i];
    }
    for (auto& weight : filter) weight /= std::sqrt(squares);
}

std::vector<double> gabor(double orientation, double phase) {
    std::vector<double> filter, envelope;
    const int reach = gabor_pixels / 2;
    for (int y = -reach; y <= reach; ++y) {
        for (int x = -reach; x <= reach; ++x) {
            const double along = x * std::cos(orientation) + y * std::sin(orientation);
            envelope.push_back(std::exp(-(x * x + y * y) / (2 * gabor_sigma * gabor_sigma)));
            filter.push_back(envelope.back() *
                             std::cos(2 * std::numbers::pi * cycles_per_pixel * along + phase));
        }
    }
    standardise(filter, envelope);
    return filter;
}

/// Even filters of all orientations, then the odd ones, on the mean of the three colours.
Filters gabor_bank() {
    auto filters = empty_filters(2 * orientations, 3, gabor_pixels);
    auto weight = filters.weights.begin();
    for (std::size_t i = 0; i < 2 * orientations; ++i) {
        const auto filter = gabor(std::numbers::pi * static_cast<double>(i % orientations) /
                                      static_cast<double>(orientations),
                                  i < orientations ? 0.0 : std::numbers::pi / 2);
        for (int colour = 0; colour < 3; ++colour)
            weight = std::transform(filter.begin(), filter.end(), weight,
                                    [](double w) { return static_cast<float>(w / 3); });
    }
    return filters;
}

/// Position of each unit in an order that puts units far apart that were neighbours: the ranks of
/// the multiples of the golden ratio, modulo one. In their old order the contrasts of contrasts
/// would be nearly the units themselves.
std::vector<std::size_t> golden_order(std::size_t count) {
    std::vector<std::size_t> by_multiple(count), position(count);
    std::iota(by_multiple.begin(), by_multiple.end(), std::size_t{0});
    const auto multiple = [](std::size_t i) {
        return std::fmod(static_cast<double>(i) * std::numbers::phi, 1.0);
    };
    std::sort(by_multiple.begin(), by_multiple.end(),
              [&](std::size_t a, std::size_t b) { return multiple(a) < multiple(b); });
    for (std::size_t rank = 0; rank < count; ++rank) position[by_multiple[rank]] = rank;
    return position;
}

/// The cosines of frequency 1 … out over the units (in × pixels²) in golden order: orthonormal
/// filters that sum to zero, so that each unit is as often on as off.
Filters contrasts(std::size_t out, std::size_t in, int pixels) {
    auto filters = empty_filters(out, in, pixels);
    const auto units = filters.size();
    const auto position = golden_order(units);
    const double scale = std::sqrt(2.0 / static_cast<double>(units));
    for (std::size_t row = 0; row < out; ++row) {
        for (std::size_t unit = 0; unit < units; ++unit) {
            const double phase = std::numbers::pi * static_cast<double>(row + 1) *
                                 (2.0 * static_cast<double>(position[unit]) + 1.0) /
                                 (2.0 * static_cast<double>(units));
            filters.weights[row * units + unit] = static_cast<float>(scale * std::cos(phase));
        }
    }
    return filters;
}

std::vector<Filters> designed_filters() {
    std::vector<Filters> stages = {gabor_bank(), contrasts(channels[0], orientations, 1),
                                   contrasts(channels[1], channels[0], 2)};
    for (std::size_t i = 2; i < std::size(channels); ++i)
        stages.push_back(contrasts(channels[i], channels[i - 1], 1));
    return stages;
}

void randomise(std::vector<Filters>& stages, std::uint64_t seed) {
    core::PortableRandom random(seed);
    for (auto& stage : stages) {
        const std::vector<double> flat(stage.size(), 1.0);
        auto weight = stage.weights.begin();
        for (std::size_t i = 0; i < stage.count(); ++i) {
            std::vector<double> filter(stage.size());
            for (auto& entry : filter) entry = random.normal();
            standardise(filter, flat);
            weight = std::transform(filter.begin(), filter.end(), weight,
                                    [](double w) { return static_cast<float>(w); });
        }
    }
}

// Energy of quadrature pairs, summed over a quarter of the image.
constexpr const char* energy_source = R"(
def forward(self, x):
    responses = torch.conv2d(x, self.weight, None, [2, 2])
    pairs = torch.chunk(responses * responses, 2, 1)
    return torch.adaptive_avg_pool2d(torch.sqrt(pairs[0] + pairs[1] + 1e-06), [2, 2])
)";

// The factor gives a rectified normal variable of variance 1 a variance of 1: its own is
// 1/2 - 1/(2 pi).
constexpr const char* contrast_source = R"(
def forward(self, x):
    return torch.relu(torch.conv2d(x, self.weight)) * 1.713
)";

torch::jit::Module make_stage(const std::string& name, const Filters& filters, const char* source,
                              const std::shared_ptr<torch::jit::CompilationUnit>& unit) {
    torch::jit::Module stage(c10::QualifiedName("__torch__.ventral.demo." + name), unit);
    auto weights = torch::empty(filters.shape, torch::kFloat32);
    std::copy(filters.weights.begin(), filters.weights.end(), weights.data_ptr<float>());
    stage.register_parameter("weight", weights, false);
    stage.define(source);
    return stage;
}

torch::jit::Module make_network(const std::vector<Filters>& stages) {
    auto unit = std::make_shared<torch::jit::CompilationUnit>();
    torch::jit::Module network(c10::QualifiedName("__torch__.ventral.demo.Network"), unit);
    const auto names = demo_layers();
    std::string forward = "def forward(self, x):\n";
    for (std::size_t i = 0; i < stages.size(); ++i) {
        network.register_module(names[i],
                                make_stage("Stage" + std::to_string(i + 1), stages[i],
                                           i == 0 ? energy_source : contrast_source, unit));
        forward += "    x = self." + names[i] + ".forward(x)\n";
    }
    network.define(forward + "    return torch.flatten(x, 1)\n");
    network.eval();
    return network;
}

}  // namespace

std::vector<std::string> demo_layers() {
    return {"stage1", "stage2", "stage3", "stage4", "stage5", "stage6", "stage7"};
}

void write_demo_network(const std::string& path, DemoWeights weights, std::uint64_t seed) {
    auto stages = designed_filters();
    if (weights == DemoWeights::random) randomise(stages, seed);
    try {
        make_network(stages).save(path);
    } catch (const std::exception& error) {
        throw core::InputError(path + ": cannot be written (" + error.what() + ")");
    }
}

}  // namespace ventral::models

#include "models/builtin/gabor_v1.hpp"

#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include "models/builtin/gabor.hpp"

namespace ventral::models {
namespace {

using std::numbers::ln2;
using std::numbers::pi;

constexpr double lowest_cycles_per_degree = 0.5;
constexpr double least_pixels_per_cycle = 4;
constexpr double least_cycles_on_screen = 2;
constexpr double octaves = 1.4;
constexpr double orientation_bandwidth = 40 * pi / 180;

/// Of the Gaussian across the stripes, in periods: the gain exp(-2 π² σ² (f/f0 - 1)²) is one half
/// at two frequencies whose ratio is 2^octaves.
double sigma_across() {
    const double ratio = std::pow(2.0, octaves);
    return std::sqrt(ln2 / 2) / pi * (ratio + 1) / (ratio - 1);
}

/// Along the stripes: the gain is one half for a grating of frequency f0 that is turned by half the
/// bandwidth.
double sigma_along() {
    const double turn = orientation_bandwidth / 2;
    const double off_across = sigma_across() * (1 - std::cos(turn));
    return std::sqrt(ln2 / (2 * pi * pi) - off_across * off_across) / std::sin(turn);
}

/// An odd number of steps, so that cells lie in the middle of their pixels; three sigma to each
/// side.
int filter_pixels(const Gabor& gabor) {
    int pixels = gabor_v1_step_pixels;
    while (pixels < 6 * gabor.sigma_along) pixels += 2 * gabor_v1_step_pixels;
    return pixels;
}

/// Without response to uniform light, and with response 1 to its own wave.
std::vector<double> tuned_filter(const Gabor& gabor, int pixels) {
    const auto envelope =
        on_square(pixels, [&](double x, double y) { return gabor.envelope(x, y); });
    const auto wave = on_square(pixels, [&](double x, double y) { return gabor.wave(x, y); });
    const double mean = std::inner_product(wave.begin(), wave.end(), envelope.begin(), 0.0) /
                        std::accumulate(envelope.begin(), envelope.end(), 0.0);
    std::vector<double> filter(wave.size());
    for (std::size_t i = 0; i < wave.size(); ++i) filter[i] = envelope[i] * (wave[i] - mean);
    const double response = std::inner_product(wave.begin(), wave.end(), filter.begin(), 0.0);
    for (auto& value : filter) value /= response;
    return filter;
}

/// Of all orientations in phase 0°, then in phase 90°.
ScriptWeight filters_of(const std::string& name, double wavelength) {
    Gabor gabor{wavelength, 0, 0, sigma_across() * wavelength, sigma_along() * wavelength};
    const int pixels = filter_pixels(gabor);
    std::vector<std::vector<double>> filters;
    for (const double phase : {0.0, pi / 2}) {
        gabor.phase = phase;
        for (std::size_t i = 0; i < gabor_v1_orientations; ++i) {
            gabor.orientation = pi * static_cast<double>(i) / double{gabor_v1_orientations};
            filters.push_back(tuned_filter(gabor, pixels));
        }
    }
    return filter_weights(name, pixels, filters);
}

std::string convolution(const ScriptWeight& filters) {
    const auto step = std::to_string(gabor_v1_step_pixels);
    const auto edge = std::to_string((filters.shape.back() - gabor_v1_step_pixels) / 2);
    return "torch.conv2d(torch.replication_pad2d(grey, [" + edge + ", " + edge + ", " + edge +
           ", " + edge + "]), self." + filters.name + ", None, [" + step + ", " + step + "])";
}

ScriptModule simple_cells(const ScreenResolution& screen) {
    ScriptModule cells{"simple", "", {luminance_weights("luminance")}, {}};
    std::string forward =
        "def forward(self, x):\n"
        "    grey = torch.conv2d(x, self.luminance)\n";
    std::string even, odd;
    for (const double frequency : gabor_v1_frequencies(screen)) {
        const auto number = std::to_string(cells.weights.size());
        cells.weights.push_back(
            filters_of("filters" + number, screen.pixels_per_degree / frequency));
        forward += "    pair" + number + " = torch.chunk(" + convolution(cells.weights.back()) +
                   ", 2, 1)\n";
        even += "pair" + number + "[0], ";
        odd += "pair" + number + "[1], ";
    }
    cells.methods = forward + "    even = torch.cat([" + even + "], 1)\n    odd = torch.cat([" +
                    odd +
                    "], 1)\n"
                    "    return torch.cat([torch.relu(even), torch.relu(odd), torch.relu(-even), "
                    "torch.relu(-odd)], 1)\n";
    return cells;
}

constexpr const char* energy = R"(
def forward(self, simple):
    phases = torch.chunk(simple * simple, 4, 1)
    return torch.sqrt(phases[0] + phases[1] + phases[2] + phases[3])
)";

}  // namespace

std::vector<double> gabor_v1_frequencies(const ScreenResolution& screen) {
    std::vector<double> frequencies;
    for (int half_octaves = 0;; ++half_octaves) {
        const double frequency = lowest_cycles_per_degree * std::pow(2.0, half_octaves / 2.0);
        if (frequency * least_pixels_per_cycle > screen.pixels_per_degree) return frequencies;
        if (frequency * screen.degrees >= least_cycles_on_screen) frequencies.push_back(frequency);
    }
}

ScriptModule gabor_v1_network(const ScreenResolution& screen) {
    return {"Network",
            "def forward(self, x):\n    return self.complex.forward(self.simple.forward(x))\n",
            {},
            {simple_cells(screen), {"complex", energy, {}, {}}}};
}

}  // namespace ventral::models

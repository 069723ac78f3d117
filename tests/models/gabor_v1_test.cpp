#include "models/builtin/gabor_v1.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "support/builtin_network.hpp"

using namespace ventral;
using namespace ventral::test;

namespace {

constexpr std::size_t pixels = 224;
constexpr double pixels_per_degree = 28;
constexpr std::size_t grid = 28;
constexpr std::size_t tunings = 64;

const models::Network& network() {
    static const auto loaded =
        models::load_network(builtin_record(models::Builtin::gabor_v1, pixels));
    return loaded;
}

std::vector<double> frequencies() { return models::gabor_v1_frequencies({pixels_per_degree, 8}); }

Grating grating_of(double cycles_per_degree, double orientation_degrees) {
    return {cycles_per_degree / pixels_per_degree, orientation_degrees};
}

/// Of the cell of each channel in the middle of the screen.
std::vector<float> middle_cells(const models::LayerOutput& layer) {
    std::vector<float> cells;
    const auto area = grid * grid;
    for (std::size_t channel = 0; channel < layer.values.size() / area; ++channel)
        cells.push_back(layer.values[channel * area + grid / 2 * grid + grid / 2]);
    return cells;
}

std::vector<float> middle_cells(const std::string& layer, const Grating& grating) {
    return middle_cells(respond(network(), layer, grating_image(pixels, grating)));
}

std::size_t largest(const std::vector<float>& values) {
    return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) -
                                    values.begin());
}

}  // namespace

TEST_CASE("the layers of gabor_v1 are a cell of each tuning per 8 x 8 pixels") {
    CHECK(network().layers() == std::vector<std::string>{"simple", "complex", "logits"});
    const auto image = uniform_image(pixels, 0);
    CHECK(respond(network(), "simple", image).shape == models::LayerShape{4 * tunings, grid, grid});
    CHECK(respond(network(), "complex", image).shape == models::LayerShape{tunings, grid, grid});
}

TEST_CASE(
    "a grating drives the complex cell of its frequency and orientation most, by its amplitude") {
    for (std::size_t f = 0; f < frequencies().size(); ++f)
        for (std::size_t o = 0; o < models::gabor_v1_orientations; ++o) {
            const auto cells = middle_cells(
                "complex", grating_of(frequencies()[f], 22.5 * static_cast<double>(o)));
            CHECK(largest(cells) == f * models::gabor_v1_orientations + o);
            CHECK(cells[largest(cells)] == Approx(0.5).epsilon(0.02));
        }
}

TEST_CASE("complex cells have the bandwidths of 1.4 octaves and 40 degrees") {
    const std::size_t cell = 4 * models::gabor_v1_orientations;  // 2 cycles per degree
    // Half the maximum at 2 (1 ± d), (1 + d) / (1 - d) = 2^1.4. At the lower of them the part of an
    // even cell that takes out uniform light costs it 0.011: its gain is exp(-2 π² 0.416² 0.55²) =
    // 0.356, the response to take out exp(-2 π² 0.416²) = 0.033.
    const double d = (std::pow(2, 1.4) - 1) / (std::pow(2, 1.4) + 1);
    for (const auto& half : {grating_of(2 * (1 - d), 0), grating_of(2 * (1 + d), 0),
                             grating_of(2, -20), grating_of(2, 20)})
        CHECK(middle_cells("complex", half)[cell] == Approx(0.25).margin(0.012));
}

TEST_CASE("simple cells see the phase of a grating and complex cells do not") {
    const std::size_t cell = 4 * models::gabor_v1_orientations;
    float simple_least = 1, simple_most = 0, complex_least = 1, complex_most = 0;
    for (int step = 0; step < 16; ++step) {
        auto grating = grating_of(2, 0);
        grating.phase_degrees = 22.5 * step;
        const auto simple = middle_cells("simple", grating)[cell];
        const auto complex = middle_cells("complex", grating)[cell];
        simple_least = std::min(simple_least, simple), simple_most = std::max(simple_most, simple);
        complex_least = std::min(complex_least, complex);
        complex_most = std::max(complex_most, complex);
    }
    CHECK(simple_least == 0);
    CHECK(simple_most > 0.48F);
    CHECK(complex_least > 0.99F * complex_most);
}

TEST_CASE("the four phases of a simple cell are each driven most by their own wave") {
    const double frequency = frequencies()[4];
    for (std::size_t phase = 0; phase < 4; ++phase) {
        auto grating = grating_of(frequency, 0);
        // Receptive fields are around pixel 8 i + 3.5; the one in the middle has i = 14.
        grating.phase_degrees =
            90 * static_cast<double>(phase) - 360 * grating.cycles_per_pixel * (8 * 14 + 3.5);
        const auto cells = middle_cells("simple", grating);
        CHECK(cells[phase * tunings + 4 * models::gabor_v1_orientations] ==
              Approx(0.5).margin(1e-4));
    }
}

TEST_CASE("uniform light drives no cell") {
    for (const double grey : {-1.0, 0.3, 1.0})
        for (const char* layer : {"simple", "complex"}) {
            const auto values = respond(network(), layer, uniform_image(pixels, grey)).values;
            CHECK(*std::max_element(values.begin(), values.end()) < 1e-5F);
        }
}

TEST_CASE("preferred frequencies are in degrees of the screen") {
    CHECK(frequencies().size() == 8);
    CHECK(frequencies().front() == 0.5);
    CHECK(frequencies()[4] == 2);
    CHECK(frequencies().back() == Approx(4 * std::sqrt(2.0)));
    // Two periods on 2 degrees, four pixels a period at 7 pixels a degree: 1 to 1.75.
    const auto few = models::gabor_v1_frequencies({7, 2});
    REQUIRE(few.size() == 2);
    CHECK(few[0] == 1);
    CHECK(few[1] == Approx(std::sqrt(2.0)));
    CHECK(models::gabor_v1_frequencies({1, 8}).empty());

    auto record = builtin_record(models::Builtin::gabor_v1, pixels);
    record.visual_degrees = 4;
    const auto near = respond(models::load_network(record), "complex",
                              grating_image(pixels, {2 / (2 * pixels_per_degree)}));
    CHECK(largest(middle_cells(near)) == 4 * models::gabor_v1_orientations);
}

TEST_CASE("gabor_v1 made again gives the same bits") {
    const auto image = grating_image(pixels, {0.07, 30});
    const auto again = models::load_network(builtin_record(models::Builtin::gabor_v1, pixels));
    const auto values = respond(network(), "complex", image).values;
    CHECK(respond(network(), "complex", image).values == values);
    CHECK(respond(again, "complex", image).values == values);
}

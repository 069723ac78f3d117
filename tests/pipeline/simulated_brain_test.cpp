#include "pipeline/demo/simulated_brain.hpp"

#include <cmath>
#include <set>

#include <catch2/catch.hpp>

#include "core/average_repetition.hpp"
#include "core/errors.hpp"
#include "core/portable_random.hpp"

using namespace ventral;
using pipeline::SimulatedRegion;
using pipeline::SimulationOptions;

namespace {

constexpr std::size_t stimulus_count = 400;

std::vector<std::string> numbered_stimuli() {
    std::vector<std::string> stimulus_ids;
    for (std::size_t i = 0; i < stimulus_count; ++i) {
        stimulus_ids.push_back("stimulus-" + std::to_string(1000 + i));
    }
    return stimulus_ids;
}

SimulatedRegion random_region(const std::string& name, std::size_t units, std::uint64_t seed) {
    SimulatedRegion region{name, "layer-of-" + name, {}};
    core::PortableRandom random(seed);
    for (std::size_t i = 0; i < stimulus_count * units; ++i)
        region.activations.push_back(static_cast<float>(random.uniform()));
    return region;
}

double variance(const std::vector<double>& values) {
    double sum = 0, squares = 0;
    for (const double value : values) {
        sum += value;
        squares += value * value;
    }
    const auto count = static_cast<double>(values.size());
    return squares / count - (sum / count) * (sum / count);
}

/// The entries of one neuroid, in the order of the presentations.
std::vector<double> column(const core::Assembly& assembly, std::size_t neuroid) {
    const auto values = core::as_float64(assembly.values);
    const auto neuroids = core::dimension_size(assembly, "neuroid");
    std::vector<double> entries;
    for (std::size_t i = neuroid; i < values.size(); i += neuroids) entries.push_back(values[i]);
    return entries;
}

}  // namespace

TEST_CASE("simulated recordings have the dimensions and coordinates of real ones") {
    const auto recordings = pipeline::simulate_recordings(
        numbered_stimuli(), {random_region("V1", 6, 1), random_region("IT", 9, 2)},
        {.neuroids_per_region = 3, .repetitions = 4});
    core::check_consistent(recordings);
    CHECK(core::dimension_size(recordings, "presentation") == 4 * stimulus_count);
    CHECK(core::dimension_size(recordings, "neuroid") == 6);
    CHECK(core::dimension_size(recordings, "time_bin") == 1);
    CHECK(core::texts(recordings, "region") ==
          std::vector<std::string>{"V1", "V1", "V1", "IT", "IT", "IT"});
    CHECK(core::texts(recordings, "generating_layer").back() == "layer-of-IT");
    const auto ids = core::texts(recordings, "neuroid_id");
    CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == 6);
    CHECK(core::texts(recordings, "repetition").back() == "3");
    CHECK(core::texts(recordings, "stimulus_id")[stimulus_count + 1] == "stimulus-1001");
}

TEST_CASE("equal seeds give equal recordings, others do not") {
    const auto values = [](std::uint64_t seed) {
        SimulationOptions options;
        options.seed = seed;
        return pipeline::simulate_recordings(numbered_stimuli(), {random_region("V1", 6, 1)},
                                             options)
            .values;
    };
    CHECK(values(1) == values(1));
    CHECK(values(1) != values(2));
}

TEST_CASE("without noise a neuroid is a non-negative mix of its layer") {
    // Of a layer of five units that are one unit and four constants every mix is that unit,
    // standardised, whatever the weights; a negative weight would turn its sign.
    SimulatedRegion region{"V1", "one", {}};
    core::PortableRandom random(3);
    std::vector<double> unit;
    for (std::size_t i = 0; i < stimulus_count; ++i) {
        region.activations.insert(region.activations.end(), {1, 2, 3, 4});
        region.activations.push_back(static_cast<float>(random.uniform()));
        unit.push_back(static_cast<double>(region.activations.back()));
    }
    const auto recordings = pipeline::simulate_recordings(
        numbered_stimuli(), {region}, {.neuroids_per_region = 2, .repetitions = 1, .ceiling = 1.0});
    double mean = 0;
    for (const double value : unit) mean += value / stimulus_count;
    const double deviation = std::sqrt(variance(unit));
    const auto responses = column(recordings, 1);
    for (std::size_t i = 0; i < stimulus_count; ++i)
        REQUIRE(responses[i] == Approx((unit[i] - mean) / deviation).margin(1e-9));
}

TEST_CASE("the noise leaves the stated part of the average's variance to the signal") {
    const auto recordings = pipeline::simulate_recordings(
        numbered_stimuli(), {random_region("V1", 20, 4)},
        {.neuroids_per_region = 20, .repetitions = 8, .ceiling = 0.6});
    const auto average = core::average_repetition(recordings);
    double mean_variance = 0;
    for (std::size_t i = 0; i < 20; ++i) mean_variance += variance(column(average, i)) / 20;
    // The signal has variance 1, so the average has 1 / 0.6; the margin is five standard errors
    // of the mean of 20 variances of 400 draws each.
    CHECK(mean_variance == Approx(1 / 0.6).margin(5 * (1 / 0.6) * std::sqrt(2.0 / 400 / 20)));
}

TEST_CASE("a layer that cannot make neuroids is an error") {
    CHECK_THROWS_WITH(
        pipeline::simulate_recordings(numbered_stimuli(), {random_region("V1", 4, 1)}, {}),
        Catch::Contains("V1: 'layer-of-V1' has too few units"));
    SimulatedRegion flat{"V2", "flat", std::vector<float>(stimulus_count * 5, 1.0F)};
    CHECK_THROWS_AS(pipeline::simulate_recordings(numbered_stimuli(), {flat}, {}),
                    core::InputError);
}

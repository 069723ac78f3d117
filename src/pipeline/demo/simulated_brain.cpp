#include "pipeline/demo/simulated_brain.hpp"

#include <cmath>
#include <numeric>

#include "core/errors.hpp"
#include "core/portable_random.hpp"

namespace ventral::pipeline {
namespace {

constexpr std::int64_t bin_start_ms = 70;
constexpr std::int64_t bin_end_ms = 170;

/// Mean 0 and standard deviation 1.
void standardise(std::vector<double>& signal, const SimulatedRegion& region) {
    const auto count = static_cast<double>(signal.size());
    const double mean = std::accumulate(signal.begin(), signal.end(), 0.0) / count;
    double squares = 0;
    for (auto& value : signal) {
        value -= mean;
        squares += value * value;
    }
    const double deviation = std::sqrt(squares / count);
    constexpr double rounding = 1e-9;
    if (!(deviation > rounding * std::abs(mean)))
        throw core::InputError(region.name + ": a neuroid would be constant (units of '" +
                               region.layer + "' do not vary) choose another layer");
    for (auto& value : signal) value /= deviation;
}

/// The noiseless response of one neuroid to each stimulus.
std::vector<double> draw_signal(const SimulatedRegion& region, std::size_t stimuli,
                                core::PortableRandom& random) {
    const auto units = region.activations.size() / stimuli;
    std::vector<double> signal(stimuli);
    for (const auto unit : random.choose(mixed_units, units)) {
        const double weight = random.uniform(0.2, 1);
        for (std::size_t i = 0; i < stimuli; ++i)
            signal[i] += weight * static_cast<double>(region.activations[i * units + unit]);
    }
    standardise(signal, region);
    return signal;
}

/// Each presentation's response: [repetition × stimulus × neuroid].
std::vector<double> draw_responses(const std::vector<std::vector<double>>& signals,
                                   const SimulationOptions& options, core::PortableRandom& random) {
    const double noise = std::sqrt(static_cast<double>(options.repetitions) *
                                   (1 - options.ceiling) / options.ceiling);
    std::vector<double> responses;
    for (std::size_t repetition = 0; repetition < options.repetitions; ++repetition)
        for (std::size_t i = 0; i < signals.front().size(); ++i)
            for (const auto& signal : signals)
                responses.push_back(signal[i] + noise * random.normal());
    return responses;
}

void add_presentation_coordinates(core::Assembly& assembly,
                                  const std::vector<std::string>& stimulus_ids,
                                  std::size_t repetitions) {
    std::vector<std::string> ids;
    std::vector<std::int64_t> numbers;
    for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
        ids.insert(ids.end(), stimulus_ids.begin(), stimulus_ids.end());
        numbers.insert(numbers.end(), stimulus_ids.size(), static_cast<std::int64_t>(repetition));
    }
    assembly.coordinates.push_back({"stimulus_id", "presentation", ids});
    assembly.coordinates.push_back({"repetition", "presentation", numbers});
}

void add_neuroid_coordinates(core::Assembly& assembly, const std::vector<SimulatedRegion>& regions,
                             std::size_t neuroids) {
    std::vector<std::string> ids, names, layers;
    for (const auto& region : regions) {
        for (std::size_t i = 0; i < neuroids; ++i) {
            const auto number = std::to_string(i);
            ids.push_back(region.name + "-" + (i < 10 ? "0" : "") + number);
            names.push_back(region.name);
            layers.push_back(region.layer);
        }
    }
    assembly.coordinates.push_back({"neuroid_id", "neuroid", ids});
    assembly.coordinates.push_back({"region", "neuroid", names});
    assembly.coordinates.push_back({"generating_layer", "neuroid", layers});
}

}  // namespace

core::Assembly simulate_recordings(const std::vector<std::string>& stimulus_ids,
                                   const std::vector<SimulatedRegion>& regions,
                                   const SimulationOptions& options) {
    const auto count = stimulus_ids.size();
    core::PortableRandom random(options.seed);
    std::vector<std::vector<double>> signals;
    for (const auto& region : regions) {
        if (region.activations.size() < mixed_units * count)
            throw core::InputError(region.name + ": '" + region.layer +
                                   "' has too few units (a neuroid mixes five) choose another");
        for (std::size_t i = 0; i < options.neuroids_per_region; ++i)
            signals.push_back(draw_signal(region, count, random));
    }

    core::Assembly recordings;
    recordings.dims = {{"presentation", count * options.repetitions},
                       {"neuroid", signals.size()},
                       {"time_bin", 1}};
    recordings.values = draw_responses(signals, options, random);
    add_presentation_coordinates(recordings, stimulus_ids, options.repetitions);
    add_neuroid_coordinates(recordings, regions, options.neuroids_per_region);
    recordings.coordinates.push_back({"time_bin_start", "time_bin", std::vector{bin_start_ms}});
    recordings.coordinates.push_back({"time_bin_end", "time_bin", std::vector{bin_end_ms}});
    return recordings;
}

}  // namespace ventral::pipeline

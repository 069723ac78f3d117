#pragma once
/// @file
/// Recordings of a simulated brain: what is explainable in them, and by which layer, is known.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::pipeline {

/// A region and the layer that its neuroids are made of.
struct SimulatedRegion {
    std::string name;
    std::string layer;
    std::vector<float> activations;  ///< stimuli × units, row-major
};

struct SimulationOptions {
    std::size_t neuroids_per_region = 64;
    std::size_t repetitions = 8;
    /// Variance of the signal over that of the average of all repetitions, the same for every
    /// neuroid: what `internal_consistency` estimates.
    double ceiling = 0.77;
    std::uint64_t seed = 1;
};

/// Number of units that a neuroid is a mix of.
inline constexpr std::size_t mixed_units = 5;

/// Every neuroid is a mix of five units of its region's layer, drawn by chance, with weights
/// between 0.2 and 1, scaled to standard deviation 1 over the stimuli; every presentation adds
/// noise of its own. Dims presentation (stimuli × repetitions) × neuroid × time_bin (one);
/// coordinates stimulus_id, repetition; neuroid_id, region, generating_layer;
/// time_bin_start, time_bin_end. Throws `InputError` if a layer has fewer than five units or a mix
/// is constant.
core::Assembly simulate_recordings(const std::vector<std::string>& stimulus_ids,
                                   const std::vector<SimulatedRegion>& regions,
                                   const SimulationOptions& options);

}  // namespace ventral::pipeline

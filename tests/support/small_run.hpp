#pragma once
/// @file
/// A run that takes milliseconds: stored features of two layers and recordings that they predict.

#include <cstddef>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "core/assembly.hpp"

namespace ventral::test {

inline constexpr std::size_t small_stimuli = 40;
inline constexpr std::size_t small_neuroids = 6;
inline constexpr std::size_t small_repetitions = 4;
/// 30 features: fewer than there are stimuli.
inline const std::string narrow_layer = "narrow";
/// 90 features.
inline const std::string wide_layer = "wide";

/// Stimuli "s00" … in reversed order × neuroids of both layers, float32.
core::Assembly small_features();

/// Repetition after repetition of all stimuli × neuroids "n0" … "n5"; regions V4 (n0, n1) and IT. A
/// neuroid is a feature of each layer and noise, but "n5" always gives 7.
core::Assembly small_recordings();

/// Metric `metric` on dataset "small": ten unstratified splits, five components if it is PLS.
benchmarks::BenchmarkRecord small_benchmark(const std::string& metric);

/// Writes features.nc and recordings.nc into `folder`.
void write_small_data(const std::string& folder);

/// Model "stored" on benchmarks "small-pls" and "small-ridge" with these data, layer by layer.
config::RunRecord small_run(const std::string& folder);

}  // namespace ventral::test

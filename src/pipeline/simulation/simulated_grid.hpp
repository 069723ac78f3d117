#pragma once
/// @file
/// A night that nobody has run: units of random cost, to try schedules on.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ventral::pipeline {

/// Seconds of `count` units: log-normal with this sigma (of the natural logarithm), scaled so that
/// their mean is exactly `mean_seconds`. The same numbers everywhere for the same seed.
std::vector<double> log_normal_seconds(std::size_t count, double sigma, double mean_seconds,
                                       std::uint64_t seed);

}  // namespace ventral::pipeline

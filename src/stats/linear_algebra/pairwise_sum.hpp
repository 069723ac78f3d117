#pragma once
/// @file
/// The sum that NumPy makes of a contiguous row, for the few places where a last bit decides
/// whether two values are tied. Everywhere else `stats::sum` is the one to use.

#include <span>

namespace ventral::stats {

/// Equals `numpy.add.reduce` of contiguous float64 bit for bit: eight running sums over up to 128
/// values, with the rest added one by one; longer rows are halved at a multiple of eight.
double pairwise_sum(std::span<const double> values);
/// The same of float32, in float32.
float pairwise_sum(std::span<const float> values);

}  // namespace ventral::stats

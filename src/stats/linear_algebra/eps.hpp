#pragma once
/// @file
/// How far apart float64 numbers are.

#include <limits>

namespace ventral::stats {

/// From 1 to the next larger one, as NumPy's `finfo` has it: 2⁻⁵².
inline constexpr double eps = std::numeric_limits<double>::epsilon();

}  // namespace ventral::stats

#pragma once
/// @file
/// Averages repeated presentations of a stimulus.

#include "core/assembly.hpp"

namespace ventral::core {

/// Mean over the presentations that agree in all presentation coordinates but `repetition`
/// (NUMERICS section 9): rows in sorted order of these coordinate tuples (in storage order of the
/// coordinates), values in float64, NaN skipped, all NaN = NaN. The coordinate `repetition` is
/// gone afterwards. Equals the reference's `average_repetition`.
Assembly average_repetition(const Assembly& assembly);

}  // namespace ventral::core

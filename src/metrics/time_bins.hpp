#pragma once
/// @file
/// Time bins as rows of one fit (Brain-Score's `SpanTimeRegression`, NUMERICS section 7).

#include "core/assembly.hpp"

namespace ventral::metrics {

/// `assembly` (presentation, neuroid and time_bin in any order) with a presentation of its own for
/// each time bin: the presentations of the first bin, then those of the second. Throws
/// `core::InputError` if it has no dimension time_bin or no bin.
core::Assembly time_bins_as_presentations(const core::Assembly& assembly);

/// Throws `core::InputError` unless both have the same time bins in the same order.
void check_equal_time_bins(const core::Assembly& source, const core::Assembly& target);

}  // namespace ventral::metrics

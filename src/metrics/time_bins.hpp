#pragma once
/// @file
/// Assemblies with several time bins, taken apart.

#include <vector>

#include "core/assembly.hpp"

namespace ventral::metrics {

/// `assembly` (presentation, neuroid and time_bin in any order) bin by bin, each presentation ×
/// neuroid. Throws `core::InputError` if it has no dimension time_bin or no bin.
std::vector<core::Assembly> time_bins_of(const core::Assembly& assembly);

/// The same with a presentation of its own for each time bin: the presentations of the first bin,
/// then those of the second (the rows that the reference's `SpanTimeRegression` fits on).
core::Assembly time_bins_as_presentations(const core::Assembly& assembly);

/// Throws `core::InputError` unless both have the same time bins in the same order.
void check_same_time_bins(const core::Assembly& source, const core::Assembly& target);

}  // namespace ventral::metrics

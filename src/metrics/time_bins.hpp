#pragma once
/// @file
/// Time bins as rows of one fit (Brain-Score's `SpanTimeRegression`, NUMERICS section 7), and what
/// they are called.

#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::metrics {

/// `assembly` (presentation, neuroid and time_bin in any order) with a presentation of its own for
/// each time bin: the presentations of the first bin, then those of the second. Throws
/// `core::InputError` if it has no dimension time_bin or no bin.
core::Assembly time_bins_as_presentations(const core::Assembly& assembly);

/// Throws `core::InputError` unless both have the same edges of time bins in the same order.
void require_same_bins_in_order(const core::Assembly& source, const core::Assembly& target);

/// The names of the bins that `coordinates` label by time_bin_start and time_bin_end, or by their
/// number if these are not both there.
std::vector<std::string> time_bin_names(const std::vector<core::Coordinate>& coordinates,
                                        std::size_t bins);

}  // namespace ventral::metrics

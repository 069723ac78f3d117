#pragma once
/// @file
/// A metric for each time bin by itself: Brain-Score's `PerTime` (NUMERICS section 7). Fits that
/// span time bins are not this file's.

#include <cstddef>
#include <functional>
#include <vector>

#include "core/assembly.hpp"
#include "core/score.hpp"

namespace ventral::metrics {

/// The time bins of an assembly, sorted (stable) by `time_bin_start`.
struct SortedTimeBins {
    std::vector<std::size_t> positions;         ///< of each along `time_bin` of the assembly
    std::vector<core::Coordinate> coordinates;  ///< along `time_bin`, in that order
};

/// Throws `core::InputError` if there is no time bin, or no `time_bin_start` along `time_bin`.
SortedTimeBins sorted_time_bins(const core::Assembly& assembly);

/// Throws `core::InputError` unless both begin at the same times.
void require_same_bin_starts(const SortedTimeBins& source, const SortedTimeBins& target);

/// The assembly at one position along `time_bin`, without that dimension.
core::Assembly at_time_bin(const core::Assembly& assembly, std::size_t position);

/// Scores one bin after the other and puts the scores together. `score(bin)` is given the bin's
/// number in sorted order (so `positions[bin]` of each assembly involved); the bins' raw arrays
/// must have one shape. The result has `value_array` and, if all bins have an error, `error_array`
/// over time_bin; `value` and `error` are their means (NaN skipped). Raw has time_bin before the
/// other dimensions. Margins are the narrowest, warnings those of all bins.
core::Score score_time_bins(const SortedTimeBins& bins,
                            const std::function<core::Score(std::size_t bin)>& score);

/// `score_time_bins` of a function of one assembly.
core::Score per_time(const core::Assembly& assembly,
                     const std::function<core::Score(const core::Assembly& bin)>& score);

}  // namespace ventral::metrics

#pragma once
/// @file
/// What stands for a layer of few features in place of its Gram (`has_narrow_form`): the features
/// themselves, centred, and what the centring took away.

#include <cstddef>
#include <span>

#include "core/workers.hpp"
#include "stats/gram/gram.hpp"
#include "stats/gram/kernel.hpp"

namespace ventral::stats {

/// Where it is made: memory that all ranks of the team see.
struct NarrowMemory {
    std::span<double> features;            ///< rows × features, column by column
    std::span<double> centred_times_mean;  ///< rows; this and the next three as in `GramMemory`
    std::span<double> row_sums;            ///< rows
    std::span<double> row_extremes;        ///< 2 × rows
    std::span<double> mean_squared;        ///< 1
    std::span<double> means, row_parts;    ///< of a slab, in use while it is made

    GramSums sums() const { return {centred_times_mean, row_sums, row_extremes, mean_squared[0]}; }
};

/// Doubles of all but the features.
std::size_t narrow_scratch(std::size_t rows, std::size_t features);
/// Cuts so many into the parts.
NarrowMemory narrow_memory(std::span<double> features, std::span<double> scratch, std::size_t rows);

/// Fills all of it, slab by slab, with the means and the sums of `build_gram`, which it is like in
/// all else. Throws `core::InputError`, on every rank, if a feature is NaN or infinite, or its
/// square is. Collective.
void centre_narrow(std::size_t features, const ReadSlab& read, const NarrowMemory& memory,
                   core::Workers& workers, const TeamShare& team);

}  // namespace ventral::stats

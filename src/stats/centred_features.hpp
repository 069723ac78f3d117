#pragma once
/// @file
/// Slabs of features in float64, minus each feature's mean over all rows. The Gram and the reduced
/// features both begin with it, so that they stand for the same bits.

#include <cstddef>
#include <span>

#include "stats/gram.hpp"

namespace ventral::stats {

/// Features that one task centres: rows are read and written in runs of this length.
inline constexpr std::size_t centred_block = 512;

/// Number of tasks that a slab falls into.
std::size_t centred_blocks(std::size_t features);

/// Where a slab is centred to: row i begins at values[i × stride].
struct CentredSlab {
    std::span<double> values;
    std::size_t stride;
    std::span<double> means;  ///< an entry per feature
};

/// Doubles that are kept of each row of a block beside the centred values: Σ centred · mean, Σ of
/// the values as they are, their least and their largest.
inline constexpr std::size_t row_statistics = 4;

/// Centres block `block` of the slab. A constant feature is exactly zero afterwards. `statistics`
/// gets the statistics of every row over the block, summed in the lanes of `stats::sum`; empty: not
/// wanted.
void centre_block(const FeatureMatrix& slab, std::size_t block, const CentredSlab& to,
                  std::span<double> statistics = {});

}  // namespace ventral::stats

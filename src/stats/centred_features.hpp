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

/// Centres block `block` of the slab: `centred` is row-major and as wide as the slab, `means` has
/// an entry per feature. A constant feature is exactly zero afterwards.
void centre_block(const FeatureMatrix& slab, std::size_t block, std::span<double> means,
                  std::span<double> centred);

}  // namespace ventral::stats

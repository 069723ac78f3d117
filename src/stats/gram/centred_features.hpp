#pragma once
/// @file
/// Slabs of features in float64, minus each feature's mean over all rows. The Gram and the reduced
/// features both begin with these means.

#include <cstddef>
#include <span>

#include "stats/gram/gram.hpp"

namespace ventral::stats {

/// Features that one task centres: rows are read and written in runs of this length.
inline constexpr std::size_t centred_block = 128;

/// Number of tasks that a slab falls into.
std::size_t centred_blocks(std::size_t features);

/// Where a slab is centred to: row i begins at values[i × stride].
struct CentredSlab {
    std::span<double> values;
    std::size_t stride;
    std::span<double> means;  ///< an entry per feature
};

/// The means over all rows of the slab's columns that begin at `from`, as many as `means` has, at
/// most `centred_block`. The mean is taken of the differences to the first row, so that a constant
/// feature has exactly its value as mean.
void mean_of_columns(const float* from, const FeatureMatrix& slab, std::span<double> means);
void mean_of_columns(const double* from, const FeatureMatrix& slab, std::span<double> means);

/// Centres block `block` of the slab. A constant feature is exactly zero afterwards.
void centre_block(const FeatureMatrix& slab, std::size_t block, const CentredSlab& to);

}  // namespace ventral::stats

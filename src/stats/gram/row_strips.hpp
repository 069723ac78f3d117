#pragma once
/// @file
/// Features as the product of the Gram reads them, centred unless they are sparse: rows in strips
/// of 24, and of each strip the 24 values of one feature beside each other, feature by feature. A
/// product then reads memory from front to back, and nothing is copied once more for each tile.

#include <cstddef>
#include <span>

#include "core/ceil_divide.hpp"
#include "stats/gram/gram.hpp"
#include "stats/gram/sparse_rows.hpp"

namespace ventral::stats {

/// Three AVX-512 registers, six of AVX2; the columns that are multiplied at a time divide it.
inline constexpr std::size_t strip_rows = 24;

constexpr std::size_t strips_of(std::size_t rows) { return core::ceil_divide(rows, strip_rows); }

/// Where a panel lies. Rows beyond the last are zero.
struct RowStrips {
    std::span<double> values;  ///< strips × features × 24
    std::size_t features;      ///< that a strip has room for
    std::span<double> means;   ///< an entry per feature

    double* at(std::size_t strip, std::size_t feature) const {
        return values.data() + (strip * features + feature) * strip_rows;
    }
    /// Some of the features, as they lie.
    RowStrips columns(std::size_t first, std::size_t count) const {
        return {values.subspan(first * strip_rows), features, means.subspan(first, count)};
    }
};

/// As `centre_block` of centred_features.hpp, to the same bits in strips, but features that
/// `layout` calls sparse as they are, and each in its place; `to.means` are those of all in the
/// slab's order. `statistics` gets the `statistics_a_row` of every row over the block, summed in
/// the lanes of `stats::sum`.
void centre_block(const FeatureMatrix& slab, std::size_t block, const BlockLayout& layout,
                  const RowStrips& to, std::span<double> statistics);

}  // namespace ventral::stats

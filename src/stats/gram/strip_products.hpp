#pragma once
/// @file
/// The product of the Gram: strips of rows times strips of rows, added to a part of K.
///
/// An entry of K is summed over 256 features at a time, from front to back with fused
/// multiply-adds, and these sums are added up one after the other. So it has the same bits wherever
/// it lies in a tile, on AVX2 and on AVX-512. The registers hold 24 × 8 entries (AVX-512) or
/// 12 × 4 (AVX2) of K, as in Goto and van de Geijn, "Anatomy of high-performance matrix
/// multiplication", ACM TOMS 34(3), 2008; unlike there, what is multiplied is packed only once for
/// all tiles (row_strips.hpp).

#include <cstddef>
#include <span>

#include "stats/gram/row_strips.hpp"

namespace ventral::stats {

/// Instruction sets that the product is written for.
enum class StripKernel { avx2, avx512 };

/// Features that are summed before they are added to K: 24 rows of them stay in the L2 cache, and
/// for AVX-512 8 columns in the L1 cache; AVX2 takes them in parts.
inline constexpr std::size_t summed_features = 256;

/// The best one that the processor has and `isa_variable` allows.
StripKernel best_strip_kernel();

/// Strips [first, end).
struct StripRange {
    std::size_t first, end;
};

/// The part of K that products are added to. The ranges are among a panel's strips.
struct KernelTile {
    StripRange rows, columns;
    std::span<double> kernel;  ///< entry (i, j) at kernel[j × order + i]
    std::size_t order;         ///< the number of rows that a panel has
};

/// Adds Σ over the panel's features of x_i x_j to the entries (i, j) of the tile with i ≥ j.
/// Entries with i < j of a strip with itself are written too, with the same values. The processor
/// must have `with`.
void add_strip_products(const RowStrips& panel, const KernelTile& to, StripKernel with);

}  // namespace ventral::stats

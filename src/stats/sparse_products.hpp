#pragma once
/// @file
/// The Gram's product of features that most rows lack (sparse_rows.hpp): what a row has times
/// strips of rows, added to a part of K.
///
/// An entry of K is summed over a block's features in their order, with fused multiply-adds, and
/// what either row lacks changes no bit of it. So it is the same bits from whichever of its two
/// rows the list is taken, and on AVX2 and AVX-512.

#include <cstddef>
#include <span>

#include "stats/sparse_rows.hpp"
#include "stats/strip_products.hpp"

namespace ventral::stats {

/// Adds the products as `add_strip_products` does. `rows` are lists of the features in `panel`.
void add_sparse_products(const SparseRows& lists, const RowStrips& panel, StripRange rows,
                         StripRange columns, std::span<double> kernel, std::size_t order,
                         StripKernel with);

}  // namespace ventral::stats

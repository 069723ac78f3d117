#pragma once
/// @file
/// The Gram's product of features that most rows lack (sparse_rows.hpp): what a row has times
/// strips of rows, added to a part of K.
///
/// Of a block with means μ an entry of K gets x_iᵀx_j - (x_iᵀμ + x_jᵀμ) + μᵀμ, which is the product
/// of what is centred. The first is summed over the features in their order, with fused
/// multiply-adds, and what either row lacks changes no bit of it. So the bits are the same from
/// whichever of the two rows the list is taken, and on AVX2 and AVX-512. A block is small enough
/// for its own products to be hardly larger than what is left of them; of a whole layer they would
/// be, and lose bits with every block that is added.

#include "stats/gram/sparse_rows.hpp"
#include "stats/gram/strip_products.hpp"

namespace ventral::stats {

/// Adds the products as `add_strip_products` does; `lists` are those of a block in `panel`.
void add_sparse_products(const SparseRows& lists, const RowStrips& panel, const KernelTile& to,
                         StripKernel with);

}  // namespace ventral::stats

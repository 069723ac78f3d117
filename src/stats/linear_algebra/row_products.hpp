#pragma once
/// @file
/// Scalar products of rows that are each centred on their own mean: the one place where the last
/// bit of a product decides, for it tells ties from neighbours.

#include <cstddef>
#include <span>
#include <vector>

#include "core/workers.hpp"
#include "stats/gram/gram.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

struct RowProducts {
    Matrix products;             ///< rows × rows, symmetric: Z Zᵀ, Z the rows minus their means
    std::vector<char> constant;  ///< of each row: are all its entries its mean
};

/// Features are read twice, slab by slab. Row means are NumPy's (`pairwise_sum`; with more than one
/// slab the sum of the slabs' sums), each product is one chain of fused multiply-adds over the
/// features in order: equal rows have equal products, and no BLAS, shape, worker or buffer changes
/// a bit. A NaN makes the products of its row NaN. n² p flop in about half the rate of BLAS.
RowProducts centred_row_products(std::size_t rows, std::size_t features, const ReadSlab& read,
                                 core::Workers& workers);

/// Whether `numpy_row_products` can be had: up to 512 rows and one slab of features.
bool small_enough_for_numpy(std::size_t rows, std::size_t features);

/// The same by the call that `numpy.corrcoef` makes, one dsyrk of the rows `order` in that order
/// (empty: of all as they are). The products are of these rows alone, sorted by their numbers.
/// Which products of few or coarse features come out equal is an accident of the BLAS's kernels:
/// those for AVX-512 add up the rows beyond the last eight otherwise than the rest, those for AVX2
/// add up all of them as `centred_row_products` does. Whoever wants the reference's ties has to
/// make the same call with the same kernels.
RowProducts numpy_row_products(std::size_t rows, std::size_t features, const ReadSlab& read,
                               std::span<const Eigen::Index> order);

}  // namespace ventral::stats

#pragma once
/// @file
/// The innermost loops of the Gram's product: 24 rows times a few columns, whose sums stay in
/// registers or the L1 cache. The bits are the same for all instruction sets (strip_products.hpp).

#include <cstddef>

#include "stats/gram/row_strips.hpp"

namespace ventral::stats {

/// 24 rows and some columns that are multiplied by them: the values of each feature `strip_rows`
/// behind those of the one before.
struct Factors {
    const double* rows;
    const double* columns;
    std::size_t features;
    const double* next_rows;  ///< that the same columns meet next, to be fetched
};

/// Where products are added: columns of entries, each `order` behind the one before.
struct Corner {
    double* entries;
    std::size_t order;
};

/// How many columns are multiplied at a time.
inline constexpr std::size_t columns_with_avx512 = 8;
inline constexpr std::size_t columns_with_avx2 = strip_rows;

using AddProducts = void(const Factors& factors, const Corner& to);
AddProducts add_with_avx512;  // only where the processor has it
AddProducts add_with_avx2;

}  // namespace ventral::stats

#include "stats/sparse_products.hpp"

#include <algorithm>
#include <array>

#include <immintrin.h>

namespace ventral::stats {
namespace {

/// Adds to `to` the products of a row with the 24 rows of a strip.
using AddRow = void (*)(const SparseRows::Row& row, const double* strip, double* to);

__attribute__((target("avx512f"))) void add_with_avx512(const SparseRows::Row& row,
                                                        const double* strip, double* to) {
    constexpr std::size_t lanes = 8;
    constexpr std::size_t registers = strip_rows / lanes;
    __m512d sums[registers];
#pragma GCC unroll 3
    for (std::size_t r = 0; r < registers; ++r) {
        sums[r] = _mm512_setzero_pd();
        __builtin_prefetch(to + r * lanes, 1);
    }
    const double* values = row.values.data();
    const std::uint16_t* offsets = row.offsets.data();
    for (std::size_t k = 0; k < row.values.size(); ++k) {
        const __m512d value = _mm512_set1_pd(values[k]);
        const double* of_feature = strip + offsets[k];
#pragma GCC unroll 3
        for (std::size_t r = 0; r < registers; ++r)
            sums[r] = _mm512_fmadd_pd(_mm512_loadu_pd(of_feature + r * lanes), value, sums[r]);
    }
#pragma GCC unroll 3
    for (std::size_t r = 0; r < registers; ++r) {
        double* part = to + r * lanes;
        _mm512_storeu_pd(part, _mm512_add_pd(_mm512_loadu_pd(part), sums[r]));
    }
}

__attribute__((target("avx2,fma"))) void add_with_avx2(const SparseRows::Row& row,
                                                       const double* strip, double* to) {
    constexpr std::size_t lanes = 4;
    constexpr std::size_t registers = strip_rows / lanes;
    __m256d sums[registers];
#pragma GCC unroll 6
    for (std::size_t r = 0; r < registers; ++r) sums[r] = _mm256_setzero_pd();
    const double* values = row.values.data();
    const std::uint16_t* offsets = row.offsets.data();
    for (std::size_t k = 0; k < row.values.size(); ++k) {
        const __m256d value = _mm256_broadcast_sd(values + k);
        const double* of_feature = strip + offsets[k];
#pragma GCC unroll 6
        for (std::size_t r = 0; r < registers; ++r)
            sums[r] = _mm256_fmadd_pd(_mm256_loadu_pd(of_feature + r * lanes), value, sums[r]);
    }
#pragma GCC unroll 6
    for (std::size_t r = 0; r < registers; ++r) {
        double* part = to + r * lanes;
        _mm256_storeu_pd(part, _mm256_add_pd(_mm256_loadu_pd(part), sums[r]));
    }
}

}  // namespace

void add_sparse_products(const SparseRows& lists, const RowStrips& panel, StripRange rows,
                         StripRange columns, std::span<double> kernel, std::size_t order,
                         StripKernel with) {
    const AddRow add = with == StripKernel::avx512 ? add_with_avx512 : add_with_avx2;
    // A strip stays in the L1 cache while the lists pass.
    for (std::size_t strip = rows.first; strip < rows.end; ++strip) {
        const double* of_strip = panel.at(strip, 0);
        const std::size_t row = strip * strip_rows;
        const std::size_t row_count = std::min(strip_rows, order - row);
        const std::size_t column_end =
            std::min({columns.end * strip_rows, row + strip_rows, order});
        for (std::size_t column = columns.first * strip_rows; column < column_end; ++column) {
            double* to = kernel.data() + column * order + row;
            if (row_count == strip_rows) {
                add(lists.row(column), of_strip, to);
                continue;
            }
            std::array<double, strip_rows> sums{};
            add(lists.row(column), of_strip, sums.data());
            for (std::size_t i = 0; i < row_count; ++i) to[i] += sums[i];
        }
    }
}

}  // namespace ventral::stats

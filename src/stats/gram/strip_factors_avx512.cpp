#include <immintrin.h>

#include "stats/gram/strip_factors.hpp"

namespace ventral::stats {
namespace {

/// Features that are asked for ahead of the multiplication by AVX-512. Rows come from the L2 cache;
/// columns are met again only after as many rows as push them out of the L1 cache.
constexpr std::size_t ahead = 8;

}  // namespace

__attribute__((target("avx512f"))) void add_with_avx512(const Factors& factors, const Corner& to) {
    constexpr std::size_t lanes = 8;
    constexpr std::size_t registers = strip_rows / lanes;
    __m512d sums[columns_with_avx512][registers];
#pragma GCC unroll 8
    for (std::size_t j = 0; j < columns_with_avx512; ++j)
#pragma GCC unroll 3
        for (std::size_t r = 0; r < registers; ++r) {
            sums[j][r] = _mm512_setzero_pd();
            __builtin_prefetch(to.entries + j * to.order + r * lanes, 1);
        }
    const double* rows = factors.rows;
    const double* columns = factors.columns;
    const std::size_t features = factors.features;
    for (std::size_t k = 0; k < features; ++k, rows += strip_rows, columns += strip_rows) {
        const __m512d rows0 = _mm512_loadu_pd(rows);
        const __m512d rows1 = _mm512_loadu_pd(rows + lanes);
        const __m512d rows2 = _mm512_loadu_pd(rows + 2 * lanes);
#pragma GCC unroll 3
        for (std::size_t r = 0; r < registers; ++r)
            __builtin_prefetch(rows + ahead * strip_rows + r * lanes);
        __builtin_prefetch(columns + ahead * strip_rows);
#pragma GCC unroll 8
        for (std::size_t j = 0; j < columns_with_avx512; ++j) {
            const __m512d column = _mm512_set1_pd(columns[j]);
            sums[j][0] = _mm512_fmadd_pd(rows0, column, sums[j][0]);
            sums[j][1] = _mm512_fmadd_pd(rows1, column, sums[j][1]);
            sums[j][2] = _mm512_fmadd_pd(rows2, column, sums[j][2]);
        }
    }
#pragma GCC unroll 8
    for (std::size_t j = 0; j < columns_with_avx512; ++j)
#pragma GCC unroll 3
        for (std::size_t r = 0; r < registers; ++r) {
            double* part = to.entries + j * to.order + r * lanes;
            _mm512_storeu_pd(part, _mm512_add_pd(_mm512_loadu_pd(part), sums[j][r]));
        }
}

}  // namespace ventral::stats

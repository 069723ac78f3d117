#include "stats/strip_products.hpp"

#include <algorithm>
#include <array>

#include <immintrin.h>

#include "stats/blas_kernels.hpp"

namespace ventral::stats {
namespace {

/// Columns of K that are summed at a time.
constexpr std::size_t strip_columns = 8;
/// Features that are asked for ahead of the multiplication. Rows come from the L2 cache; columns
/// are met again only after as many rows as push them out of the L1 cache.
constexpr std::size_t ahead = 8;

/// Adds to `to`, whose columns are `order` apart, the products of 24 rows with 8 columns.
using AddProducts = void (*)(const double* rows, const double* columns, std::size_t features,
                             double* to, std::size_t order);

__attribute__((target("avx512f"))) void add_with_avx512(const double* rows, const double* columns,
                                                        std::size_t features, double* to,
                                                        std::size_t order) {
    constexpr std::size_t lanes = 8;
    constexpr std::size_t registers = strip_rows / lanes;
    __m512d sums[strip_columns][registers];
#pragma GCC unroll 8
    for (std::size_t j = 0; j < strip_columns; ++j)
#pragma GCC unroll 3
        for (std::size_t r = 0; r < registers; ++r) {
            sums[j][r] = _mm512_setzero_pd();
            __builtin_prefetch(to + j * order + r * lanes, 1);
        }
    for (std::size_t k = 0; k < features; ++k, rows += strip_rows, columns += strip_rows) {
        const __m512d rows0 = _mm512_loadu_pd(rows);
        const __m512d rows1 = _mm512_loadu_pd(rows + lanes);
        const __m512d rows2 = _mm512_loadu_pd(rows + 2 * lanes);
#pragma GCC unroll 3
        for (std::size_t r = 0; r < registers; ++r)
            __builtin_prefetch(rows + ahead * strip_rows + r * lanes);
        __builtin_prefetch(columns + ahead * strip_rows);
#pragma GCC unroll 8
        for (std::size_t j = 0; j < strip_columns; ++j) {
            const __m512d column = _mm512_set1_pd(columns[j]);
            sums[j][0] = _mm512_fmadd_pd(rows0, column, sums[j][0]);
            sums[j][1] = _mm512_fmadd_pd(rows1, column, sums[j][1]);
            sums[j][2] = _mm512_fmadd_pd(rows2, column, sums[j][2]);
        }
    }
#pragma GCC unroll 8
    for (std::size_t j = 0; j < strip_columns; ++j)
#pragma GCC unroll 3
        for (std::size_t r = 0; r < registers; ++r) {
            double* part = to + j * order + r * lanes;
            _mm512_storeu_pd(part, _mm512_add_pd(_mm512_loadu_pd(part), sums[j][r]));
        }
}

/// Half of the rows with half of the columns.
__attribute__((target("avx2,fma"))) void add_quarter_with_avx2(const double* rows,
                                                               const double* columns,
                                                               std::size_t features, double* to,
                                                               std::size_t order) {
    constexpr std::size_t lanes = 4;
    constexpr std::size_t registers = strip_rows / 2 / lanes;
    __m256d sums[strip_columns / 2][registers];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < strip_columns / 2; ++j)
#pragma GCC unroll 3
        for (std::size_t r = 0; r < registers; ++r) sums[j][r] = _mm256_setzero_pd();
    for (std::size_t k = 0; k < features; ++k, rows += strip_rows, columns += strip_rows) {
        const __m256d rows0 = _mm256_loadu_pd(rows);
        const __m256d rows1 = _mm256_loadu_pd(rows + lanes);
        const __m256d rows2 = _mm256_loadu_pd(rows + 2 * lanes);
#pragma GCC unroll 4
        for (std::size_t j = 0; j < strip_columns / 2; ++j) {
            const __m256d column = _mm256_broadcast_sd(columns + j);
            sums[j][0] = _mm256_fmadd_pd(rows0, column, sums[j][0]);
            sums[j][1] = _mm256_fmadd_pd(rows1, column, sums[j][1]);
            sums[j][2] = _mm256_fmadd_pd(rows2, column, sums[j][2]);
        }
    }
#pragma GCC unroll 4
    for (std::size_t j = 0; j < strip_columns / 2; ++j)
#pragma GCC unroll 3
        for (std::size_t r = 0; r < registers; ++r) {
            double* part = to + j * order + r * lanes;
            _mm256_storeu_pd(part, _mm256_add_pd(_mm256_loadu_pd(part), sums[j][r]));
        }
}

void add_with_avx2(const double* rows, const double* columns, std::size_t features, double* to,
                   std::size_t order) {
    for (std::size_t i = 0; i < strip_rows; i += strip_rows / 2)
        for (std::size_t j = 0; j < strip_columns; j += strip_columns / 2)
            add_quarter_with_avx2(rows + i, columns + j, features, to + j * order + i, order);
}

/// Where K ends within the 24 × 8 entries: they are summed elsewhere, and added as far as K goes.
void add_part(AddProducts add, const double* rows, const double* columns, std::size_t features,
              double* to, std::size_t order, std::size_t row_count, std::size_t column_count) {
    std::array<double, strip_rows * strip_columns> sums{};
    add(rows, columns, features, sums.data(), strip_rows);
    for (std::size_t j = 0; j < column_count; ++j)
        for (std::size_t i = 0; i < row_count; ++i) to[j * order + i] += sums[j * strip_rows + i];
}

}  // namespace

StripKernel best_strip_kernel() {
    return may_use_avx512() ? StripKernel::avx512 : StripKernel::avx2;
}

void add_strip_products(const RowStrips& panel, StripRange rows, StripRange columns,
                        std::span<double> kernel, std::size_t order, StripKernel with) {
    const AddProducts add = with == StripKernel::avx512 ? add_with_avx512 : add_with_avx2;
    const std::size_t features = panel.means.size();
    const auto add_to = [&](std::size_t strip, std::size_t column, std::size_t first) {
        const std::size_t row = strip * strip_rows;
        const std::size_t row_count = std::min(strip_rows, order - row);
        const std::size_t column_count = std::min(strip_columns, order - column);
        const double* of_rows = panel.at(strip, first);
        const double* of_columns = panel.at(column / strip_rows, first) + column % strip_rows;
        const std::size_t count = std::min(summed_features, features - first);
        double* to = kernel.data() + column * order + row;
        if (row_count == strip_rows && column_count == strip_columns)
            add(of_rows, of_columns, count, to, order);
        else
            add_part(add, of_rows, of_columns, count, to, order, row_count, column_count);
    };
    const std::size_t column_end = std::min(columns.end * strip_rows, order);
    for (std::size_t first = 0; first < features; first += summed_features)
        for (std::size_t column = columns.first * strip_rows; column < column_end;
             column += strip_columns)
            for (std::size_t strip = std::max(rows.first, column / strip_rows); strip < rows.end;
                 ++strip)
                add_to(strip, column, first);
}

}  // namespace ventral::stats

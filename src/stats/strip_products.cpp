#include "stats/strip_products.hpp"

#include <algorithm>
#include <array>

#include <immintrin.h>

#include "stats/blas_kernels.hpp"

namespace ventral::stats {
namespace {

/// Features that are asked for ahead of the multiplication by AVX-512. Rows come from the L2 cache;
/// columns are met again only after as many rows as push them out of the L1 cache.
constexpr std::size_t ahead = 8;

/// Adds to `to`, whose columns are `order` apart, the products of 24 rows with some columns.
using AddProducts = void (*)(const double* rows, const double* columns, std::size_t features,
                             double* to, std::size_t order);

constexpr std::size_t values_a_line = 8;
constexpr std::size_t columns_with_avx512 = 8;
constexpr std::size_t columns_with_avx2 = strip_rows;

__attribute__((target("avx512f"))) void add_with_avx512(const double* rows, const double* columns,
                                                        std::size_t features, double* to,
                                                        std::size_t order) {
    constexpr std::size_t lanes = 8;
    constexpr std::size_t registers = strip_rows / lanes;
    __m512d sums[columns_with_avx512][registers];
#pragma GCC unroll 8
    for (std::size_t j = 0; j < columns_with_avx512; ++j)
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
            double* part = to + j * order + r * lanes;
            _mm512_storeu_pd(part, _mm512_add_pd(_mm512_loadu_pd(part), sums[j][r]));
        }
}

/// Features of a strip of rows and one of columns, 24 KiB, that an L1 cache of 32 KiB holds beside
/// the 4.5 KiB of their sums.
constexpr std::size_t features_in_l1 = 64;
constexpr std::size_t part_rows = 12;
constexpr std::size_t part_columns = 4;
static_assert(strip_rows % part_rows == 0 && columns_with_avx2 % part_columns == 0);

/// Sums of 12 rows and 4 columns, which are in registers while features are added to them.
struct alignas(32) PartSums {
    double values[part_columns][part_rows];
};

/// Adds the products of each feature in turn.
__attribute__((target("avx2,fma"))) void add_features(const double* rows, const double* columns,
                                                      std::size_t features, PartSums& part) {
    constexpr std::size_t lanes = 4;
    constexpr std::size_t registers = part_rows / lanes;
    __m256d sums[part_columns][registers];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < part_columns; ++j)
#pragma GCC unroll 3
        for (std::size_t r = 0; r < registers; ++r)
            sums[j][r] = _mm256_load_pd(part.values[j] + r * lanes);
    for (std::size_t k = 0; k < features; ++k, rows += strip_rows, columns += strip_rows) {
        const __m256d rows0 = _mm256_loadu_pd(rows);
        const __m256d rows1 = _mm256_loadu_pd(rows + lanes);
        const __m256d rows2 = _mm256_loadu_pd(rows + 2 * lanes);
#pragma GCC unroll 4
        for (std::size_t j = 0; j < part_columns; ++j) {
            const __m256d column = _mm256_broadcast_sd(columns + j);
            sums[j][0] = _mm256_fmadd_pd(rows0, column, sums[j][0]);
            sums[j][1] = _mm256_fmadd_pd(rows1, column, sums[j][1]);
            sums[j][2] = _mm256_fmadd_pd(rows2, column, sums[j][2]);
        }
    }
#pragma GCC unroll 4
    for (std::size_t j = 0; j < part_columns; ++j)
#pragma GCC unroll 3
        for (std::size_t r = 0; r < registers; ++r)
            _mm256_store_pd(part.values[j] + r * lanes, sums[j][r]);
}

void add_sums(const PartSums& part, double* to, std::size_t order) {
    for (const auto& column : part.values) {
        for (std::size_t i = 0; i < part_rows; ++i) to[i] += column[i];
        to += order;
    }
}

void add_with_avx2(const double* rows, const double* columns, std::size_t features, double* to,
                   std::size_t order) {
    constexpr std::size_t down = strip_rows / part_rows;
    constexpr std::size_t across = columns_with_avx2 / part_columns;
    PartSums parts[down][across] = {};
    for (std::size_t j = 0; j < columns_with_avx2; ++j)
        for (std::size_t i = 0; i < strip_rows; i += values_a_line)
            __builtin_prefetch(to + j * order + i, 1);
    for (std::size_t first = 0; first < features; first += features_in_l1) {
        const std::size_t count = std::min(features_in_l1, features - first);
        const std::size_t offset = first * strip_rows;
        for (std::size_t i = 0; i < down; ++i)
            for (std::size_t j = 0; j < across; ++j)
                add_features(rows + offset + i * part_rows, columns + offset + j * part_columns,
                             count, parts[i][j]);
    }
    for (std::size_t j = 0; j < across; ++j)
        for (std::size_t i = 0; i < down; ++i)
            add_sums(parts[i][j], to + j * part_columns * order + i * part_rows, order);
}

/// Instructions, and how many columns they multiply at a time.
struct Multiplication {
    AddProducts add;
    std::size_t columns;
};

Multiplication multiplication(StripKernel with) {
    if (with == StripKernel::avx512) return {add_with_avx512, columns_with_avx512};
    return {add_with_avx2, columns_with_avx2};
}

/// Where K ends within these entries: they are summed elsewhere, and added as far as K goes.
void add_part(AddProducts add, const double* rows, const double* columns, std::size_t features,
              double* to, std::size_t order, std::size_t row_count, std::size_t column_count) {
    std::array<double, strip_rows * columns_with_avx2> sums{};
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
    const Multiplication multiply = multiplication(with);
    const std::size_t features = panel.means.size();
    const auto add_to = [&](std::size_t strip, std::size_t column, std::size_t first) {
        const std::size_t row = strip * strip_rows;
        const std::size_t row_count = std::min(strip_rows, order - row);
        const std::size_t column_count = std::min(multiply.columns, order - column);
        const double* of_rows = panel.at(strip, first);
        const double* of_columns = panel.at(column / strip_rows, first) + column % strip_rows;
        const std::size_t count = std::min(summed_features, features - first);
        double* to = kernel.data() + column * order + row;
        if (row_count == strip_rows && column_count == multiply.columns)
            multiply.add(of_rows, of_columns, count, to, order);
        else
            add_part(multiply.add, of_rows, of_columns, count, to, order, row_count, column_count);
    };
    const std::size_t column_end = std::min(columns.end * strip_rows, order);
    for (std::size_t first = 0; first < features; first += summed_features)
        for (std::size_t column = columns.first * strip_rows; column < column_end;
             column += multiply.columns)
            for (std::size_t strip = std::max(rows.first, column / strip_rows); strip < rows.end;
                 ++strip)
                add_to(strip, column, first);
}

}  // namespace ventral::stats

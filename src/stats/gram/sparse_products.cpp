#include "stats/gram/sparse_products.hpp"

#include <algorithm>
#include <array>

#include <immintrin.h>

namespace ventral::stats {
namespace {

/// Products with the means: those of a strip's rows, that of another row, and the means'.
struct MeanProducts {
    const double* strip;
    double row;
    double means;
};

/// Adds to `to` the centred products of a row with the 24 rows of a strip.
using AddRow = void (*)(const SparseRows::Row& row, const double* strip,
                        const MeanProducts& products, double* to);

__attribute__((target("avx512f"))) void add_row_with_avx512(const SparseRows::Row& row,
                                                            const double* strip,
                                                            const MeanProducts& products,
                                                            double* to) {
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
    const __m512d of_row = _mm512_set1_pd(products.row);
    const __m512d squared = _mm512_set1_pd(products.means);
#pragma GCC unroll 3
    for (std::size_t r = 0; r < registers; ++r) {
        double* part = to + r * lanes;
        const __m512d of_means = _mm512_add_pd(_mm512_loadu_pd(products.strip + r * lanes), of_row);
        const __m512d centred = _mm512_add_pd(_mm512_sub_pd(sums[r], of_means), squared);
        _mm512_storeu_pd(part, _mm512_add_pd(_mm512_loadu_pd(part), centred));
    }
}

__attribute__((target("avx2,fma"))) void add_row_with_avx2(const SparseRows::Row& row,
                                                           const double* strip,
                                                           const MeanProducts& products,
                                                           double* to) {
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
    const __m256d of_row = _mm256_set1_pd(products.row);
    const __m256d squared = _mm256_set1_pd(products.means);
#pragma GCC unroll 6
    for (std::size_t r = 0; r < registers; ++r) {
        double* part = to + r * lanes;
        const __m256d of_means = _mm256_add_pd(_mm256_loadu_pd(products.strip + r * lanes), of_row);
        const __m256d centred = _mm256_add_pd(_mm256_sub_pd(sums[r], of_means), squared);
        _mm256_storeu_pd(part, _mm256_add_pd(_mm256_loadu_pd(part), centred));
    }
}

}  // namespace

void add_sparse_products(const SparseRows& lists, const RowStrips& panel, const KernelTile& to,
                         StripKernel with) {
    const AddRow add = with == StripKernel::avx512 ? add_row_with_avx512 : add_row_with_avx2;
    const auto with_means = lists.times_means();
    // A strip stays in the L1 cache while the lists pass.
    for (std::size_t strip = to.rows.first; strip < to.rows.end; ++strip) {
        const double* of_strip = panel.at(strip, 0);
        const std::size_t row = strip * strip_rows;
        const std::size_t row_count = std::min(strip_rows, to.order - row);
        const std::size_t column_end =
            std::min({to.columns.end * strip_rows, row + strip_rows, to.order});
        for (std::size_t column = to.columns.first * strip_rows; column < column_end; ++column) {
            const MeanProducts products = {&with_means[row], with_means[column],
                                           lists.mean_squared()};
            double* part = to.kernel.data() + column * to.order + row;
            if (row_count == strip_rows) {
                add(lists.row(column), of_strip, products, part);
                continue;
            }
            std::array<double, strip_rows> sums{};
            add(lists.row(column), of_strip, products, sums.data());
            for (std::size_t i = 0; i < row_count; ++i) part[i] += sums[i];
        }
    }
}

}  // namespace ventral::stats

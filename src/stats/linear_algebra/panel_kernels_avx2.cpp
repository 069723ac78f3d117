
#include <immintrin.h>

#include "stats/linear_algebra/panel_kernels.hpp"

namespace ventral::stats {
namespace {

using Eigen::Index;

constexpr Index lanes = 8;  // in two registers
constexpr Index half = lanes / 2;

/// ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)).
inline double add_lanes(__m256d low, __m256d high) {
    const __m256d pairs = _mm256_hadd_pd(low, high);
    const __m128d fours =
        _mm_add_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1));
    return _mm_cvtsd_f64(_mm_add_sd(fours, _mm_unpackhi_pd(fours, fours)));
}

/// Eight rows with some vectors from `first` on, whose sums stay in registers.
template <int Vectors>
inline void add_to_rows(const Panel& panel, const PanelNumbers& x, Index first, Index row,
                        double* y) {
    __m256d low[Vectors];
    __m256d high[Vectors];
    for (int f = 0; f < Vectors; ++f) {
        low[f] = _mm256_loadu_pd(y + (first + f) * panel_stride + row);
        high[f] = _mm256_loadu_pd(y + (first + f) * panel_stride + row + half);
    }
#pragma GCC unroll 8
    for (int c = 0; c < panel_columns; ++c) {
        const double* column = panel.entries + c * panel.stride + row;
        const __m256d a_low = _mm256_loadu_pd(column);
        const __m256d a_high = _mm256_loadu_pd(column + half);
        for (int f = 0; f < Vectors; ++f) {
            const __m256d factor =
                _mm256_set1_pd(x[static_cast<std::size_t>((first + f) * panel_columns + c)]);
            low[f] = _mm256_fmadd_pd(a_low, factor, low[f]);
            high[f] = _mm256_fmadd_pd(a_high, factor, high[f]);
        }
    }
    for (int f = 0; f < Vectors; ++f) {
        _mm256_storeu_pd(y + (first + f) * panel_stride + row, low[f]);
        _mm256_storeu_pd(y + (first + f) * panel_stride + row + half, high[f]);
    }
}

void add_products(const Panel& panel, const PanelNumbers& x, Index vectors, double* y) {
    for (Index row = 0; row < panel.rows; row += lanes) {
        fetch_next(panel, row);
        Index f = 0;
        for (; f + 5 <= vectors; f += 5) add_to_rows<5>(panel, x, f, row, y);
        for (; f + 2 <= vectors; f += 2) add_to_rows<2>(panel, x, f, row, y);
        if (f < vectors) add_to_rows<1>(panel, x, f, row, y);
    }
}

/// Some columns from `column` on with some vectors from `first` on.
template <int Columns, int Vectors>
inline void dot_some(const Panel& panel, const double* z, Index column, Index first,
                     PanelNumbers& products) {
    __m256d low[Columns][Vectors];
    __m256d high[Columns][Vectors];
    for (int c = 0; c < Columns; ++c)
        for (int f = 0; f < Vectors; ++f) low[c][f] = high[c][f] = _mm256_setzero_pd();
    const double* entries = panel.entries + column * panel.stride;
    const double* from = z + first * panel_stride;
    for (Index row = 0; row < panel.rows; row += lanes)
        for (int c = 0; c < Columns; ++c) {
            const __m256d a_low = _mm256_loadu_pd(entries + c * panel.stride + row);
            const __m256d a_high = _mm256_loadu_pd(entries + c * panel.stride + row + half);
            for (int f = 0; f < Vectors; ++f) {
                const double* entry = from + f * panel_stride + row;
                low[c][f] = _mm256_fmadd_pd(a_low, _mm256_loadu_pd(entry), low[c][f]);
                high[c][f] = _mm256_fmadd_pd(a_high, _mm256_loadu_pd(entry + half), high[c][f]);
            }
        }
    for (int c = 0; c < Columns; ++c)
        for (int f = 0; f < Vectors; ++f)
            products[static_cast<std::size_t>((first + f) * panel_columns + column + c)] =
                add_lanes(low[c][f], high[c][f]);
}

void dot_products(const Panel& panel, const double* z, Index vectors, PanelNumbers& products) {
    Index f = 0;
    for (; f + 3 <= vectors; f += 3)
        for (Index c = 0; c < panel_columns; c += 2) dot_some<2, 3>(panel, z, c, f, products);
    for (; f < vectors; ++f)
        for (Index c = 0; c < panel_columns; c += 4) dot_some<4, 1>(panel, z, c, f, products);
}

/// Four columns from `column` on.
void both_of_some(const Panel& panel, const PanelVector& vector, Index column) {
    constexpr int columns = 4;
    __m256d factors[columns];
    __m256d low[columns];
    __m256d high[columns];
    for (int c = 0; c < columns; ++c) {
        factors[c] = _mm256_set1_pd(vector.x[column + c]);
        low[c] = high[c] = _mm256_setzero_pd();
    }
    const double* entries = panel.entries + column * panel.stride;
    for (Index row = 0; row < panel.rows; row += lanes) {
        if (column == 0) fetch_next(panel, row);
        __m256d to_low = _mm256_loadu_pd(vector.y + row);
        __m256d to_high = _mm256_loadu_pd(vector.y + row + half);
        const bool dots = row >= vector.first;
        const __m256d z_low = dots ? _mm256_loadu_pd(vector.z + row) : _mm256_setzero_pd();
        const __m256d z_high = dots ? _mm256_loadu_pd(vector.z + row + half) : _mm256_setzero_pd();
        for (int c = 0; c < columns; ++c) {
            const __m256d a_low = _mm256_loadu_pd(entries + c * panel.stride + row);
            const __m256d a_high = _mm256_loadu_pd(entries + c * panel.stride + row + half);
            to_low = _mm256_fmadd_pd(a_low, factors[c], to_low);
            to_high = _mm256_fmadd_pd(a_high, factors[c], to_high);
            low[c] = _mm256_fmadd_pd(a_low, z_low, low[c]);
            high[c] = _mm256_fmadd_pd(a_high, z_high, high[c]);
        }
        _mm256_storeu_pd(vector.y + row, to_low);
        _mm256_storeu_pd(vector.y + row + half, to_high);
    }
    for (int c = 0; c < columns; ++c) vector.products[column + c] = add_lanes(low[c], high[c]);
}

void both(const Panel& panel, const PanelVector& vector) {
    both_of_some(panel, vector, 0);
    both_of_some(panel, vector, panel_columns / 2);
}

}  // namespace

const PanelKernels avx2_panel_kernels = {add_products, dot_products, both};

}  // namespace ventral::stats

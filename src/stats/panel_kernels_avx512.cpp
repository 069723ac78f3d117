#include <algorithm>
#include <array>
#include <utility>

#include <immintrin.h>

#include "stats/panel_kernels.hpp"

// The program is compiled for AVX2; each function that is for AVX-512 says so, as an attribute that
// nothing inherits.

namespace ventral::stats {
namespace {

using Eigen::Index;

constexpr Index lanes = 8;

/// ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)).
__attribute__((target("avx512f,avx512dq,avx512vl"))) inline double add_lanes(__m512d s) {
    const __m256d low = __builtin_shufflevector(s, s, 0, 1, 2, 3);
    const __m256d high = __builtin_shufflevector(s, s, 4, 5, 6, 7);
    const __m256d pairs = _mm256_hadd_pd(low, high);
    const __m128d fours =
        _mm_add_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1));
    return _mm_cvtsd_f64(_mm_add_sd(fours, _mm_unpackhi_pd(fours, fours)));
}

/// The same rows of the next panel, on their way while these are multiplied.
inline void fetch_next(const Panel& panel, Index row) {
    if (!panel.next) return;
    for (Index c = 0; c < panel_columns; ++c)
        __builtin_prefetch(panel.next + c * panel.stride + row, 0, 2);
}

/// Registers of rows with all vectors, whose sums stay in registers.
template <int Registers, int Vectors>
__attribute__((target("avx512f,avx512dq,avx512vl"))) inline void add_to_rows(const Panel& panel,
                                                                             const PanelNumbers& x,
                                                                             Index row, double* y) {
    __m512d sums[Vectors][Registers];
    for (int f = 0; f < Vectors; ++f)
        for (int r = 0; r < Registers; ++r)
            sums[f][r] = _mm512_loadu_pd(y + f * panel_stride + row + r * lanes);
#pragma GCC unroll 8
    for (int c = 0; c < panel_columns; ++c) {
        __m512d a[Registers];
        for (int r = 0; r < Registers; ++r)
            a[r] = _mm512_loadu_pd(panel.entries + c * panel.stride + row + r * lanes);
        for (int f = 0; f < Vectors; ++f) {
            const __m512d factor =
                _mm512_set1_pd(x[static_cast<std::size_t>(c * panel_vectors + f)]);
            for (int r = 0; r < Registers; ++r)
                sums[f][r] = _mm512_fmadd_pd(a[r], factor, sums[f][r]);
        }
    }
    for (int f = 0; f < Vectors; ++f)
        for (int r = 0; r < Registers; ++r)
            _mm512_storeu_pd(y + f * panel_stride + row + r * lanes, sums[f][r]);
}

template <int Vectors>
__attribute__((target("avx512f,avx512dq,avx512vl"))) void add_products_of(const Panel& panel,
                                                                          const PanelNumbers& x,
                                                                          double* y) {
    Index row = 0;
    for (; row + 2 * lanes <= panel.rows; row += 2 * lanes) {
        fetch_next(panel, row);
        fetch_next(panel, row + lanes);
        add_to_rows<2, Vectors>(panel, x, row, y);
    }
    if (row < panel.rows) add_to_rows<1, Vectors>(panel, x, row, y);
}

/// So many columns at a time that their sums fill most registers.
template <int Vectors>
__attribute__((target("avx512f,avx512dq,avx512vl"))) void dot_products_of(const Panel& panel,
                                                                          const double* z,
                                                                          PanelNumbers& products) {
    constexpr int columns = Vectors <= 2 ? 8 : Vectors <= 5 ? 4 : 2;
    for (int first = 0; first < panel_columns; first += columns) {
        __m512d sums[columns][Vectors];
        for (int c = 0; c < columns; ++c)
            for (int f = 0; f < Vectors; ++f) sums[c][f] = _mm512_setzero_pd();
        const double* entries = panel.entries + first * panel.stride;
        for (Index row = 0; row < panel.rows; row += lanes) {
            __m512d a[columns];
            for (int c = 0; c < columns; ++c)
                a[c] = _mm512_loadu_pd(entries + c * panel.stride + row);
            for (int f = 0; f < Vectors; ++f) {
                const __m512d factor = _mm512_loadu_pd(z + f * panel_stride + row);
                for (int c = 0; c < columns; ++c)
                    sums[c][f] = _mm512_fmadd_pd(a[c], factor, sums[c][f]);
            }
        }
        for (int c = 0; c < columns; ++c)
            for (int f = 0; f < Vectors; ++f)
                products[static_cast<std::size_t>((first + c) * panel_vectors + f)] =
                    add_lanes(sums[c][f]);
    }
}

/// Eight rows, of which the dot products count or not.
template <bool Dots>
__attribute__((target("avx512f,avx512dq,avx512vl"))) inline void both_of_rows(
    const Panel& panel, const PanelVector& vector, Index row, const __m512d* factors,
    __m512d* sums) {
    const __m512d factor = _mm512_loadu_pd(vector.z + row);
    __m512d to = _mm512_loadu_pd(vector.y + row);
#pragma GCC unroll 8
    for (int c = 0; c < panel_columns; ++c) {
        const __m512d a = _mm512_loadu_pd(panel.entries + c * panel.stride + row);
        to = _mm512_fmadd_pd(a, factors[c], to);
        if constexpr (Dots) sums[c] = _mm512_fmadd_pd(a, factor, sums[c]);
    }
    _mm512_storeu_pd(vector.y + row, to);
}

__attribute__((target("avx512f,avx512dq,avx512vl"))) void both(const Panel& panel,
                                                               const PanelVector& vector) {
    __m512d factors[panel_columns];
    __m512d sums[panel_columns];
    for (int c = 0; c < panel_columns; ++c) {
        factors[c] = _mm512_set1_pd(vector.x[c]);
        sums[c] = _mm512_setzero_pd();
    }
    Index row = 0;
    for (; row < vector.first; row += lanes) both_of_rows<false>(panel, vector, row, factors, sums);
    for (; row < panel.rows; row += lanes) {
        fetch_next(panel, row);
        both_of_rows<true>(panel, vector, row, factors, sums);
    }
    for (int c = 0; c < panel_columns; ++c) vector.products[c] = add_lanes(sums[c]);
}

using AddProducts = void (*)(const Panel&, const PanelNumbers&, double*);
using DotProducts = void (*)(const Panel&, const double*, PanelNumbers&);

template <int... Before>
constexpr auto all_of_add_products(std::integer_sequence<int, Before...>) {
    return std::array<AddProducts, sizeof...(Before)>{add_products_of<Before + 1>...};
}
template <int... Before>
constexpr auto all_of_dot_products(std::integer_sequence<int, Before...>) {
    return std::array<DotProducts, sizeof...(Before)>{dot_products_of<Before + 1>...};
}

using UpToAllVectors = std::make_integer_sequence<int, panel_vectors>;

void add_products(const Panel& panel, const PanelNumbers& x, Index vectors, double* y) {
    static constexpr auto of_number = all_of_add_products(UpToAllVectors{});
    of_number[static_cast<std::size_t>(vectors - 1)](panel, x, y);
}

void dot_products(const Panel& panel, const double* z, Index vectors, PanelNumbers& products) {
    static constexpr auto of_number = all_of_dot_products(UpToAllVectors{});
    of_number[static_cast<std::size_t>(vectors - 1)](panel, z, products);
}

}  // namespace

const PanelKernels avx512_panel_kernels = {add_products, dot_products, both};

}  // namespace ventral::stats

#include <array>
#include <utility>

#include <immintrin.h>

#include "stats/linear_algebra/panel_kernels.hpp"

// The program is compiled for AVX2; each function that is for AVX-512 says so, as an attribute that
// nothing inherits.

namespace ventral::stats {
namespace {

using Eigen::Index;

constexpr Index lanes = 8;

/// Adds the second pair to the first, and the fourth to the third: of `a`, then of `b`.
__attribute__((target("avx512f,avx512dq,avx512vl"))) inline __m512d add_pairs(const __m512d& a,
                                                                              const __m512d& b) {
    return _mm512_add_pd(__builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13),
                         __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15));
}

/// Of each of eight registers ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)), in their order.
__attribute__((target("avx512f,avx512dq,avx512vl"))) inline __m512d add_lanes(const __m512d* s) {
    __m512d twos[4];  // of two registers in turn
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        const __m512d a = s[2 * i];
        const __m512d b = s[2 * i + 1];
        twos[i] = _mm512_add_pd(__builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14),
                                __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15));
    }
    return add_pairs(add_pairs(twos[0], twos[1]), add_pairs(twos[2], twos[3]));
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
                _mm512_set1_pd(x[static_cast<std::size_t>(f * panel_columns + c)]);
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

/// Vectors from `z` on with all columns, whose sums stay in registers.
template <int Vectors>
__attribute__((target("avx512f,avx512dq,avx512vl"))) inline void dot_some(const Panel& panel,
                                                                          const double* z,
                                                                          double* products) {
    __m512d sums[Vectors][panel_columns];
#pragma GCC unroll 3
    for (int f = 0; f < Vectors; ++f)
#pragma GCC unroll 8
        for (int c = 0; c < panel_columns; ++c) sums[f][c] = _mm512_setzero_pd();
    for (Index row = 0; row < panel.rows; row += lanes) {
        __m512d factors[Vectors];
#pragma GCC unroll 3
        for (int f = 0; f < Vectors; ++f) factors[f] = _mm512_loadu_pd(z + f * panel_stride + row);
#pragma GCC unroll 8
        for (int c = 0; c < panel_columns; ++c) {
            const __m512d a = _mm512_loadu_pd(panel.entries + c * panel.stride + row);
#pragma GCC unroll 3
            for (int f = 0; f < Vectors; ++f)
                sums[f][c] = _mm512_fmadd_pd(a, factors[f], sums[f][c]);
        }
    }
#pragma GCC unroll 3
    for (int f = 0; f < Vectors; ++f)
        _mm512_storeu_pd(products + f * panel_columns, add_lanes(sums[f]));
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
    _mm512_storeu_pd(vector.products, add_lanes(sums));
}

using AddProducts = void (*)(const Panel&, const PanelNumbers&, double*);

template <int... Before>
constexpr auto all_of_add_products(std::integer_sequence<int, Before...>) {
    return std::array<AddProducts, sizeof...(Before)>{add_products_of<Before + 1>...};
}
using UpToAllVectors = std::make_integer_sequence<int, panel_vectors>;

void add_products(const Panel& panel, const PanelNumbers& x, Index vectors, double* y) {
    static constexpr auto of_number = all_of_add_products(UpToAllVectors{});
    of_number[static_cast<std::size_t>(vectors - 1)](panel, x, y);
}

/// Three vectors at a time, or two where one would be left.
void dot_products(const Panel& panel, const double* z, Index vectors, PanelNumbers& products) {
    Index f = 0;
    const auto from = [&] { return z + f * panel_stride; };
    const auto to = [&] { return products.data() + f * panel_columns; };
    for (; vectors - f == 3 || vectors - f > 4; f += 3) dot_some<3>(panel, from(), to());
    for (; f + 2 <= vectors; f += 2) dot_some<2>(panel, from(), to());
    if (f < vectors) dot_some<1>(panel, from(), to());
}

}  // namespace

const PanelKernels avx512_panel_kernels = {add_products, dot_products, both};

}  // namespace ventral::stats

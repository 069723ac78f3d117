#pragma once
/// @file
/// The innermost loops of products with few vectors: a panel, a few columns of a matrix, times some
/// vectors. Every product is fused with its addition, and every result is added up in an order that
/// nothing but the rows decide: neither the other vectors, nor an address, nor the width of the
/// processor's registers.

#include <array>

#include <Eigen/Core>

namespace ventral::stats {

inline constexpr Eigen::Index panel_columns = 8;
/// So few that as many rows of ten vectors on either side of a product stay in the first-level
/// cache beside the panel.
inline constexpr Eigen::Index panel_rows = 128;
inline constexpr Eigen::Index panel_vectors = 10;
/// From one vector to the next of those that are multiplied: not a power of two, which would put
/// all of them in the same places of a cache.
inline constexpr Eigen::Index panel_stride = panel_rows + 8;

/// A panel in column-major order: `panel_columns` columns of `rows` entries, a multiple of 8 and at
/// most `panel_rows`.
struct Panel {
    const double* entries;
    Eigen::Index stride;  ///< from one column to the next
    Eigen::Index rows;
    const double* next;  ///< a panel of this form that will be needed next, to be fetched; or null
};

/// A number for each column and each vector: of column c and vector f at f · panel_columns + c.
using PanelNumbers = std::array<double, panel_columns * panel_vectors>;

/// Has the rows of the panel's successor from `row` on on their way, one cache line of each column.
inline void fetch_next(const Panel& panel, Eigen::Index row) {
    if (!panel.next) return;
    for (Eigen::Index c = 0; c < panel_columns; ++c)
        __builtin_prefetch(panel.next + c * panel.stride + row, 0, 2);
}

/// One vector to be multiplied by a panel and one by its transpose.
struct PanelVector {
    const double* x;     ///< a number for each column
    const double* z;     ///< an entry for each row
    Eigen::Index first;  ///< row, a multiple of 8, from which on z counts
    double* y;           ///< ← y + panel · x
    double* products;    ///< ← panelᵀ · z, a number for each column
};

/// Vectors have an entry for every row of the panel and lie `panel_stride` apart.
struct PanelKernels {
    /// y_f ← y_f + Σ_c column_c x(c, f), a column after the other.
    void (*add_products)(const Panel& panel, const PanelNumbers& x, Eigen::Index vectors,
                         double* y);
    /// products(c, f) = column_cᵀ z_f: entries in eight lanes, then the lanes, as `stats::dot`
    /// does.
    void (*dot_products)(const Panel& panel, const double* z, Eigen::Index vectors,
                         PanelNumbers& products);
    /// Both with the bits of the two; there may be any number of rows.
    void (*both)(const Panel& panel, const PanelVector& vector);
};

enum class VectorWidth { avx2, avx512 };

/// What this processor is to use.
VectorWidth vector_width();

/// The bits of all kernels are the same; those of `avx512` run only where the processor has it.
const PanelKernels& panel_kernels(VectorWidth width);

extern const PanelKernels avx2_panel_kernels;
extern const PanelKernels avx512_panel_kernels;

}  // namespace ventral::stats

#include "stats/linear_algebra/panel_product.hpp"

#include <algorithm>

#include "stats/linear_algebra/panel_pieces.hpp"

namespace ventral::stats {
namespace {

using Eigen::Index;

/// The entries of b in the rows that are a panel's columns.
PanelNumbers factors(const Eigen::Ref<const Matrix>& b, Index first, Index columns,
                     const Block& vectors) {
    PanelNumbers x{};
    for (Index f = 0; f < vectors.count; ++f)
        for (Index c = 0; c < columns; ++c) x[panel_place(c, f)] = b(first + c, vectors.first + f);
    return x;
}

}  // namespace

void multiply_rows(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                   const Block& rows, Eigen::Ref<Matrix> out, VectorWidth width) {
    const auto& kernels = panel_kernels(width);
    const auto vectors = even_blocks(b.cols(), panel_vectors);
    PanelSource source(a);
    PanelVectors y(b.cols());
    out.middleRows(rows.first, rows.count).setZero();
    const Index end = rows.first + rows.count;
    for (Index row = rows.first; row < end; row += panel_rows) {
        const Index count = std::min(panel_rows, end - row);
        y.load(out, row, count);
        for (Index j = 0; j < a.cols(); j += panel_columns) {
            const Index columns = std::min(panel_columns, a.cols() - j);
            const bool last = j + 2 * panel_columns > a.cols();
            const double* next = last ? nullptr : a.col(j + panel_columns).data() + row;
            const Panel panel = source.panel(j, columns, row, count, next);
            for (const auto& block : vectors)
                kernels.add_products(panel, factors(b, j, columns, block), block.count,
                                     y.of(block.first));
        }
        y.store(out, row, count);
    }
}

void multiply_columns(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                      const Block& columns, Eigen::Ref<Matrix> out, VectorWidth width) {
    const auto& kernels = panel_kernels(width);
    const auto vectors = even_blocks(b.cols(), panel_vectors);
    PanelSource source(a);
    PanelVectors z(b.cols());
    out.middleRows(columns.first, columns.count).setZero();
    const Index end = columns.first + columns.count;
    PanelNumbers products;
    for (Index row = 0; row < a.rows(); row += panel_rows) {
        const Index rows = std::min(panel_rows, a.rows() - row);
        z.load(b, row, rows);
        for (Index j = columns.first; j < end; j += panel_columns) {
            const Index count = std::min(panel_columns, end - j);
            const Panel panel = source.panel(j, count, row, rows, nullptr);
            for (const auto& block : vectors) {
                kernels.dot_products(panel, z.of(block.first), block.count, products);
                for (Index f = 0; f < block.count; ++f)
                    for (Index c = 0; c < count; ++c)
                        out(j + c, block.first + f) += products[panel_place(c, f)];
            }
        }
    }
}

}  // namespace ventral::stats

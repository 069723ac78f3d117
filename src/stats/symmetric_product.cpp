#include "stats/symmetric_product.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "stats/blocks.hpp"

namespace ventral::stats {
namespace {

using Eigen::Index;

constexpr Index tile_columns = 128;
constexpr Index lanes = 8;

Index whole_lanes(Index rows) { return (rows + lanes - 1) / lanes * lanes; }

/// Vectors as the kernels take them: the rows of a piece, with zeros behind them.
class PanelVectors {
public:
    explicit PanelVectors(Index vectors)
        : vectors_(vectors),
          lines_(static_cast<std::size_t>(vectors * panel_stride / line_length)) {}

    double* of(Index f) { return lines_.data()->values + f * panel_stride; }

    void load(const Eigen::Ref<const Matrix>& from, Index row, Index rows) {
        for (Index f = 0; f < vectors_; ++f) {
            std::copy_n(from.col(f).data() + row, rows, of(f));
            std::fill(of(f) + rows, of(f) + whole_lanes(rows), 0.0);
        }
    }

    void store(Matrix& to, Index row, Index rows) {
        for (Index f = 0; f < vectors_; ++f) std::copy_n(of(f), rows, to.col(f).data() + row);
    }

private:
    static constexpr Index line_length = 8;
    struct alignas(64) Line {
        double values[line_length];
    };

    Index vectors_;
    std::vector<Line> lines_;
};

/// The columns of a tile, in groups of a panel, with rows of a piece after the other. The first
/// piece is the tile's own rows, in which a group has a square on the diagonal and the rows below.
class SymmetricTile {
public:
    SymmetricTile(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b, Matrix& out,
                  const PanelKernels& kernels)
        : a_(a),
          b_(b),
          out_(out),
          kernels_(kernels),
          blocks_(even_blocks(b.cols(), panel_vectors)),
          z_(b.cols()),
          y_(b.cols()) {}

    void add(Index first, Index count) {
        first_ = first;
        end_ = first + count;
        begin_piece(first, count);
        for (Index j = first; j < end_; j += panel_columns) add_group_on_diagonal(j);
        y_.store(out_, row_, rows_);
        for (Index row = end_; row < a_.rows(); row += panel_rows) {
            begin_piece(row, std::min(panel_rows, a_.rows() - row));
            for (Index j = first; j < end_; j += panel_columns) add_group_below(j);
            y_.store(out_, row_, rows_);
        }
    }

private:
    void begin_piece(Index row, Index rows) {
        row_ = row;
        rows_ = rows;
        z_.load(b_, row, rows);
        y_.load(out_, row, rows);
    }

    Index columns_from(Index j) const { return std::min(panel_columns, end_ - j); }

    /// The rows of the piece from `offset` on in the columns from j on: where they lie, or copied
    /// if the kernels could not take them there.
    Panel panel_at(Index j, Index offset) {
        const Index columns = columns_from(j);
        const Index rows = rows_ - offset;
        const double* entries = a_.col(j).data() + row_ + offset;
        if (columns == panel_columns && rows % lanes == 0)
            return {entries, a_.outerStride(), rows, next_after(j, offset)};
        std::fill(padded_.begin(), padded_.end(), 0.0);
        for (Index c = 0; c < columns; ++c)
            std::copy_n(entries + c * a_.outerStride(), rows, padded_.data() + c * panel_stride);
        return {padded_.data(), panel_stride, whole_lanes(rows), nullptr};
    }

    const double* next_after(Index j, Index offset) const {
        if (j + 2 * panel_columns <= end_) return a_.col(j + panel_columns).data() + row_ + offset;
        const bool more_rows = row_ + rows_ < a_.rows();
        return more_rows ? a_.col(first_).data() + row_ + rows_ : nullptr;
    }

    /// The entries of b in the rows that are the group's columns.
    PanelNumbers factors(Index j, const Block& block) const {
        PanelNumbers x{};
        for (Index f = 0; f < block.count; ++f)
            for (Index c = 0; c < columns_from(j); ++c)
                x[static_cast<std::size_t>(c * panel_vectors + f)] = b_(j + c, block.first + f);
        return x;
    }

    void add_group_on_diagonal(Index j) {
        const Index offset = j - first_;
        const Index columns = columns_from(j);
        std::array<double, panel_columns * panel_columns> square{};
        for (Index c = 0; c < columns; ++c)
            for (Index i = c; i < columns; ++i)
                square[static_cast<std::size_t>(c * panel_columns + i)] =
                    square[static_cast<std::size_t>(i * panel_columns + c)] = a_(j + i, j + c);
        const Panel on_diagonal{square.data(), panel_columns, panel_columns, nullptr};
        for (const auto& block : blocks_)
            kernels_.add_products(on_diagonal, factors(j, block), block.count,
                                  y_.of(block.first) + offset);
        if (offset + panel_columns >= rows_) return;
        const Panel below = panel_at(j, offset + panel_columns);
        for (const auto& block : blocks_) {
            const auto products = multiply(below, j, block, offset + panel_columns);
            for (Index f = 0; f < block.count; ++f)
                for (Index c = 0; c < columns; ++c)
                    y_.of(block.first + f)[offset + c] +=
                        products[static_cast<std::size_t>(c * panel_vectors + f)];
        }
    }

    void add_group_below(Index j) {
        Panel panel = panel_at(j, 0);
        for (const auto& block : blocks_) {
            const auto products = multiply(panel, j, block, 0);
            for (Index f = 0; f < block.count; ++f)
                for (Index c = 0; c < columns_from(j); ++c)
                    out_(j + c, block.first + f) +=
                        products[static_cast<std::size_t>(c * panel_vectors + f)];
            panel.next = nullptr;
        }
    }

    /// Adds panel · x to y, and returns panelᵀ · z.
    PanelNumbers multiply(const Panel& panel, Index j, const Block& block, Index offset) {
        PanelNumbers products;
        const auto x = factors(j, block);
        const double* z = z_.of(block.first) + offset;
        double* y = y_.of(block.first) + offset;
        if (block.count == 1) {
            kernels_.both(panel, x, z, y, products);
        } else {
            kernels_.add_products(panel, x, block.count, y);
            kernels_.dot_products(panel, z, block.count, products);
        }
        return products;
    }

    const Eigen::Ref<const Matrix>& a_;
    const Eigen::Ref<const Matrix>& b_;
    Matrix& out_;
    const PanelKernels& kernels_;
    std::vector<Block> blocks_;
    PanelVectors z_;
    PanelVectors y_;
    std::array<double, panel_columns * panel_stride> padded_{};
    Index first_ = 0;
    Index end_ = 0;
    Index row_ = 0;
    Index rows_ = 0;
};

}  // namespace

void add_symmetric_part(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                        Index first, Index count, Matrix& out, VectorWidth width) {
    SymmetricTile tile(a, b, out, panel_kernels(width));
    for (Index done = 0; done < count; done += tile_columns)
        tile.add(first + done, std::min(tile_columns, count - done));
}

Vector symmetric_times(const Eigen::Ref<const Matrix>& a, const Vector& x) {
    Matrix out = Matrix::Zero(a.rows(), 1);
    add_symmetric_part(a, x, 0, a.cols(), out);
    return out;
}

}  // namespace ventral::stats

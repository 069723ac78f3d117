#include "stats/linear_algebra/symmetric_product.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/ceil_divide.hpp"
#include "stats/linear_algebra/panel_pieces.hpp"

namespace ventral::stats {
namespace {

using Eigen::Index;

constexpr Index tile_columns = 128;
static_assert(tile_columns <= panel_rows);

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
          source_(a),
          blocks_(even_blocks(b.cols(), panel_vectors)),
          z_(b.cols()),
          y_(b.cols()) {}

    void add(Index first, Index count) {
        first_ = first;
        end_ = first + count;
        groups_ = core::ceil_divide(count, panel_columns);
        load_factors();
        begin_piece(first, count);
        for (Index j = first; j < end_; j += panel_columns) add_group_on_diagonal(j);
        y_.store(out_, row_, rows_);
        if (end_ == a_.rows()) return;
        load_sums();
        for (Index row = end_; row < a_.rows(); row += panel_rows) {
            begin_piece(row, std::min(panel_rows, a_.rows() - row));
            for (Index j = first; j < end_; j += panel_columns) add_group_below(j);
            y_.store(out_, row_, rows_);
        }
        store_sums();
    }

private:
    void begin_piece(Index row, Index rows) {
        row_ = row;
        rows_ = rows;
        z_.load(b_, row, rows);
        y_.load(out_, row, rows);
    }

    Index columns_from(Index j) const { return std::min(panel_columns, end_ - j); }

    /// The rows of the piece from `offset` on in the columns from j on.
    Panel panel_at(Index j, Index offset) {
        return source_.panel(j, columns_from(j), row_ + offset, rows_ - offset,
                             next_after(j, offset));
    }

    const double* next_after(Index j, Index offset) const {
        if (j + 2 * panel_columns <= end_) return a_.col(j + panel_columns).data() + row_ + offset;
        const bool more_rows = row_ + rows_ < a_.rows();
        return more_rows ? a_.col(first_).data() + row_ + rows_ : nullptr;
    }

    template <typename Use>
    void for_each_number(const Use& use) {
        for (std::size_t i = 0; i < blocks_.size(); ++i)
            for (Index f = 0; f < blocks_[i].count; ++f)
                for (Index j = first_; j < end_; ++j)
                    use(j, blocks_[i].first + f, numbers_place(j, i),
                        panel_place((j - first_) % panel_columns, f));
    }

    /// Where the numbers of the group of column j and of a block of vectors are.
    std::size_t numbers_place(Index j, std::size_t block) const {
        return static_cast<std::size_t>((j - first_) / panel_columns) * blocks_.size() + block;
    }

    /// The entries of b in the rows that are the tile's columns.
    void load_factors() {
        factors_.assign(static_cast<std::size_t>(groups_) * blocks_.size(), PanelNumbers{});
        for_each_number([&](Index j, Index f, std::size_t group, std::size_t place) {
            factors_[group][place] = b_(j, f);
        });
    }

    /// What the tile's columns add up to, which is `out`'s while a piece below is multiplied.
    void load_sums() {
        sums_.assign(factors_.size(), PanelNumbers{});
        for_each_number([&](Index j, Index f, std::size_t group, std::size_t place) {
            sums_[group][place] = out_(j, f);
        });
    }

    void store_sums() {
        for_each_number([&](Index j, Index f, std::size_t group, std::size_t place) {
            out_(j, f) = sums_[group][place];
        });
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
        for (std::size_t i = 0; i < blocks_.size(); ++i)
            kernels_.add_products(on_diagonal, factors_[numbers_place(j, i)], blocks_[i].count,
                                  y_.of(blocks_[i].first) + offset);
        if (offset + panel_columns >= rows_) return;
        const Panel below = panel_at(j, offset + panel_columns);
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            multiply(below, j, i, offset + panel_columns);
            for (Index f = 0; f < blocks_[i].count; ++f)
                for (Index c = 0; c < columns; ++c)
                    y_.of(blocks_[i].first + f)[offset + c] += products_[panel_place(c, f)];
        }
    }

    void add_group_below(Index j) {
        Panel panel = panel_at(j, 0);
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            multiply(panel, j, i, 0);
            PanelNumbers& sums = sums_[numbers_place(j, i)];
            for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += products_[k];
            panel.next = nullptr;
        }
    }

    /// Adds panel · x to y, and sets `products_` to panelᵀ · z.
    void multiply(const Panel& panel, Index j, std::size_t block, Index offset) {
        const auto& [first, count] = blocks_[block];
        const auto& x = factors_[numbers_place(j, block)];
        const double* z = z_.of(first) + offset;
        double* y = y_.of(first) + offset;
        if (count == 1) {
            kernels_.both(panel, {x.data(), z, 0, y, products_.data()});
        } else {
            kernels_.add_products(panel, x, count, y);
            kernels_.dot_products(panel, z, count, products_);
        }
    }

    const Eigen::Ref<const Matrix>& a_;
    const Eigen::Ref<const Matrix>& b_;
    Matrix& out_;
    const PanelKernels& kernels_;
    PanelSource source_;
    std::vector<Block> blocks_;
    PanelVectors z_;
    PanelVectors y_;
    std::vector<PanelNumbers> factors_;
    std::vector<PanelNumbers> sums_;
    PanelNumbers products_{};
    Index groups_ = 0;
    Index first_ = 0;
    Index end_ = 0;
    Index row_ = 0;
    Index rows_ = 0;
};

}  // namespace

void add_symmetric_part(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                        const Block& columns, Matrix& out, VectorWidth width) {
    SymmetricTile tile(a, b, out, panel_kernels(width));
    for (Index done = 0; done < columns.count; done += tile_columns)
        tile.add(columns.first + done, std::min(tile_columns, columns.count - done));
}

Vector symmetric_times(const Eigen::Ref<const Matrix>& a, const Vector& x) {
    Matrix out = Matrix::Zero(a.rows(), 1);
    add_symmetric_part(a, x, {0, a.cols()}, out);
    return out;
}

}  // namespace ventral::stats

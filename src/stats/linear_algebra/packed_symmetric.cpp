#include "stats/linear_algebra/packed_symmetric.hpp"

#include <algorithm>
#include <array>

#include "stats/linear_algebra/panel_pieces.hpp"

namespace ventral::stats {
namespace {

using Eigen::Index;

/// Entries of the groups of columns before column `first`, a multiple of a panel's width.
Index entries_before(Index first, Index padded) {
    // Σ over groups g < first / width of width · (padded − width g).
    const Index groups = first / panel_columns;
    return panel_columns * (groups * padded - panel_columns * (groups * (groups - 1) / 2));
}

Index group_of(Index j) { return j / panel_columns * panel_columns; }

}  // namespace

PackedSymmetric::PackedSymmetric(Index size)
    : size_(size),
      padded_(whole_lanes(size)),
      entries_(static_cast<std::size_t>(entries_before(padded_, padded_))) {}

/// Of what would be row 0 of the column.
std::ptrdiff_t PackedSymmetric::place(Index j) const {
    const Index group = group_of(j);
    return entries_before(group, padded_) + (j - group) * (padded_ - group) - group;
}

void PackedSymmetric::mirror_square(Index group) {
    for (Index j = group; j < group + panel_columns; ++j)
        for (Index i = j + 1; i < group + panel_columns; ++i) column(i)[j] = column(j)[i];
}

void PackedSymmetric::set_columns(Index first, const Eigen::Ref<const Matrix>& columns) {
    for (Index c = 0; c < columns.cols(); ++c)
        std::copy_n(columns.col(c).data() + c, size_ - first - c, column(first + c) + first + c);
    for (Index group = group_of(first); group < first + columns.cols(); group += panel_columns)
        mirror_square(group);
}

double PackedSymmetric::trace() const {
    std::vector<double> diagonal;
    for (Index j = 0; j < size_; ++j) diagonal.push_back((*this)(j, j));
    return sum(diagonal);
}

void PackedSymmetric::clear_row_and_column(Index i) {
    for (Index j = 0; j < i; ++j) column(j)[i] = 0;
    std::fill(column(i) + i, column(i) + size_, 0.0);
    mirror_square(group_of(i));
}

void PackedSymmetric::update(const Vector& s, const Vector& q, double factor) {
    for (Index j = 0; j < size_; ++j) {
        double* to = column(j);
        const double both = factor * s(j) - q(j);
        const double one = s(j);
        const double* of_s = s.data();
        const double* of_q = q.data();
        for (Index i = j; i < size_; ++i) to[i] += both * of_s[i] - of_q[i] * one;
    }
    for (Index group = 0; group < padded_; group += panel_columns) mirror_square(group);
}

void PackedSymmetric::multiply(const AlignedNumbers& x, AlignedNumbers& out,
                               VectorWidth width) const {
    const auto& kernels = panel_kernels(width);
    std::fill_n(out.data(), padded_, 0.0);
    std::array<double, panel_columns> products;
    const double* entries = entries_.data();
    for (Index group = 0; group < padded_; group += panel_columns) {
        const Index rows = padded_ - group;
        const double* from = x.data() + group;
        kernels.both({entries, rows, rows, nullptr},
                     {from, from, panel_columns, out.data() + group, products.data()});
        for (Index c = 0; c < panel_columns; ++c)
            out.data()[group + c] += products[static_cast<std::size_t>(c)];
        entries += panel_columns * rows;
    }
}

}  // namespace ventral::stats

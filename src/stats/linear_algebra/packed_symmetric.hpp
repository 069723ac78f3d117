#pragma once
/// @file
/// A symmetric matrix that many vectors are multiplied by, one after the other: its lower triangle,
/// laid out in the order in which a product reads it. Bits follow from the size alone, not from the
/// width of the processor's registers.

#include <cstddef>

#include "stats/linear_algebra/aligned_numbers.hpp"
#include "stats/linear_algebra/matrix.hpp"
#include "stats/linear_algebra/panel_kernels.hpp"

namespace ventral::stats {

class PackedSymmetric {
public:
    /// Zeros.
    explicit PackedSymmetric(Eigen::Index size);

    Eigen::Index size() const { return size_; }

    /// Entry (i, j), i ≥ j.
    double operator()(Eigen::Index i, Eigen::Index j) const { return column(j)[i]; }

    /// Takes columns from (first, first) on, of which only entries on and below the diagonal count.
    void set_columns(Eigen::Index first, const Eigen::Ref<const Matrix>& columns);

    double trace() const;

    void clear_row_and_column(Eigen::Index i);

    /// ← itself + factor s sᵀ − q sᵀ − s qᵀ.
    void update(const Vector& s, const Vector& q, double factor);

    /// A vector for `multiply`: `size` entries, and zeros behind them.
    AlignedNumbers make_vector() const { return AlignedNumbers(static_cast<std::size_t>(padded_)); }

    /// out ← itself times x.
    void multiply(const AlignedNumbers& x, AlignedNumbers& out,
                  VectorWidth width = vector_width()) const;

private:
    double* column(Eigen::Index j) { return entries_.data() + place(j); }
    const double* column(Eigen::Index j) const { return entries_.data() + place(j); }
    std::ptrdiff_t place(Eigen::Index j) const;
    void mirror_square(Eigen::Index group);

    Eigen::Index size_;
    Eigen::Index padded_;
    /// Groups of columns of a panel's width: from the group's first row on each column, so that the
    /// square on the diagonal is there as a whole.
    AlignedNumbers entries_;
};

}  // namespace ventral::stats

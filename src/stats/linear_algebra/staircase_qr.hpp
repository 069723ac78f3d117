#pragma once
/// @file
/// QR of matrices whose columns end in zeros, fewer and fewer of them: what is left of a triangle
/// when some of its columns are taken away costs a fraction of a full matrix.

#include <vector>

#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// A = Q R of an m × n matrix, m ≥ n, by Householder reflections (LAPACK dgeqrt) in panels that
/// span only the rows that are not zero. The shapes of all calls follow from those of A and
/// `heights`.
class StaircaseQr {
public:
    /// Column j of `a` is zero from row heights[j] on; heights do not decrease, and
    /// heights[j] > j.
    StaircaseQr(Matrix a, std::vector<Eigen::Index> heights);

    /// R, n × n.
    Matrix triangle() const;
    /// m × n, with R in its upper triangle and something else below.
    const Matrix& with_triangle() const { return a_; }

    /// b ← Qᵀ b and b ← Q b, with Q as m × m.
    void apply_transposed(Matrix& b) const;
    void apply(Matrix& b) const;

private:
    struct Panel {
        Eigen::Index first, width, height;  ///< columns, and rows from `first` on
        Matrix factor;                      ///< of the compact form of its reflections
    };
    void reflect(const Panel& panel, char transposed, Eigen::Ref<Matrix> b) const;

    Matrix a_;  ///< R, and below it the reflections
    std::vector<Panel> panels_;
};

}  // namespace ventral::stats

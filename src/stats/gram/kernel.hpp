#pragma once
/// @file
/// K = X Xᵀ of a problem's n × p features, as fits ask for it: its entries, or where features are
/// few these themselves, so that no n × n matrix is ever held. Then a product with K is two with X
/// (the primal form), which from 2 p ≤ n on takes no more arithmetic than one with K.

#include <cstddef>
#include <vector>

#include "core/workers.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// Whether features take the place of their Gram: 2 p ≤ n.
bool has_narrow_form(std::size_t rows, std::size_t features);

/// A view of either. What is viewed must outlive it.
class Kernel {
public:
    /// Of no rows: there is none.
    Kernel() : Kernel(MatrixView(nullptr, 0, 0)) {}
    /// Its entries, n × n, symmetric, of any offset.
    Kernel(const MatrixView& entries) : matrix_(entries), is_held_(true) {}
    /// X: n × p. The means of its columns are its offset.
    static Kernel of_features(const MatrixView& features) { return {features, false}; }

    bool is_held() const { return is_held_; }
    Eigen::Index rows() const { return matrix_.rows(); }

    /// K itself, if it is held.
    const MatrixView& entries() const;
    /// X, if K is not.
    const MatrixView& features() const;

    Vector diagonal() const;
    /// K over rows × columns: of few features a product, else a copy.
    Matrix part(const std::vector<Eigen::Index>& rows, const std::vector<Eigen::Index>& columns,
                core::Workers& workers) const;
    /// K over rows × rows, times `block`, which has an entry for each of them.
    Matrix part_times(const std::vector<Eigen::Index>& rows,
                      const Eigen::Ref<const Matrix>& block) const;
    /// All rows of K over some columns, times `block`.
    Matrix columns_times(const std::vector<Eigen::Index>& columns,
                         const Eigen::Ref<const Matrix>& block) const;
    /// K v.
    Vector times(const Vector& v) const;
    /// All of K.
    Matrix whole(core::Workers& workers) const;

private:
    Kernel(const MatrixView& matrix, bool is_held) : matrix_(matrix), is_held_(is_held) {}

    MatrixView matrix_;
    bool is_held_;
};

}  // namespace ventral::stats

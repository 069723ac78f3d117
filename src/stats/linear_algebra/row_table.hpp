#pragma once
/// @file
/// Row-major matrices of float32 or float64, as NumPy holds them, and the BLAS calls that NumPy
/// makes of them: for iterations that stop early, where the last bits of every step are part of the
/// result. All else is `Matrix`.

#include <span>

#include <Eigen/Core>

namespace ventral::stats {

template <typename Real>
using RowTable = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// All entries, row by row.
template <typename Real>
std::span<const Real> entries(const RowTable<Real>& table) {
    return {table.data(), static_cast<std::size_t>(table.size())};
}

/// One row.
template <typename Real>
std::span<const Real> row_entries(const RowTable<Real>& table, Eigen::Index row) {
    return entries(table).subspan(static_cast<std::size_t>(row * table.cols()),
                                  static_cast<std::size_t>(table.cols()));
}

/// Σ a b of as many entries, by the BLAS call that NumPy makes.
double inner_product(std::span<const double> a, std::span<const double> b);
float inner_product(std::span<const float> a, std::span<const float> b);

/// a · b, aᵀ · b and a · bᵀ by the BLAS calls that NumPy makes of these shapes.
template <typename Real>
RowTable<Real> product(const RowTable<Real>& a, const RowTable<Real>& b);
template <typename Real>
RowTable<Real> product_of_transposed(const RowTable<Real>& a, const RowTable<Real>& b);
template <typename Real>
RowTable<Real> product_with_transposed(const RowTable<Real>& a, const RowTable<Real>& b);
/// a · x.
template <typename Real>
RowTable<Real> product_with_vector(const RowTable<Real>& a, std::span<const Real> x);
/// a · aᵀ.
template <typename Real>
RowTable<Real> product_with_itself(const RowTable<Real>& a);

}  // namespace ventral::stats

#pragma once
/// @file
/// Factors of a band matrix with a shift, for many right-hand sides at once (Golub & Van Loan
/// 2013, section 4.3). No row's bits depend on the others.

#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// As many rows are solved for together.
inline constexpr Eigen::Index band_lanes = 24;

/// T + shift I = L D Lᵀ of a symmetric T (r × r) with w diagonals below the main one.
struct BandFactor {
    /// w × (r + w), of L below its unit diagonal: entry (j − 1, k) is L(k, k − j), or zero.
    Matrix left;
    Vector inverse_d;  ///< 1 / D; negative where rounding has made T + shift I indefinite
};

/// Of `band`, (w + 1) × r, whose entry (d, c) is T(c + d, c).
BandFactor factorise_band(const Matrix& band, double shift);

/// rows ← rows (T + shift I)⁻¹, for rows of r entries each.
void solve_rows(const BandFactor& factor, Matrix& rows);

/// Of each row q: q (T + shift I)⁻¹ qᵀ.
Vector quadratic_forms(const BandFactor& factor, const Eigen::Ref<const Matrix>& rows);

}  // namespace ventral::stats

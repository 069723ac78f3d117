#pragma once
/// @file
/// Band form of one large symmetric matrix on all workers (block Householder reflections; Bischof,
/// Lang & Sun 2000). Unlike the way to a tridiagonal form, it goes through the matrix once for many
/// columns. The blocks, and with them the bits, follow from the matrix's size alone.

#include "core/workers.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// Diagonals below the main one that the form has.
inline constexpr Eigen::Index band_width = 8;

/// B of A = Q B Qᵀ, n × n. Q is the product of reflectors, of which number i has `scales(i)` and,
/// in column i of the matrix that was given, zeros above row i + band_width, a one in that row that
/// is not stored, and what stands below: as LAPACK's `dgeqrf` leaves them.
struct BandForm {
    Matrix band;  ///< (band_width + 1) × n: entry (d, c) is B(c + d, c); zero beyond the last row
    Vector scales;  ///< n − band_width, or none
};

/// Of the lower triangle of `a`, at least 1 × 1, that becomes the reflectors.
BandForm band_form(Matrix& a, core::Workers& workers);

}  // namespace ventral::stats

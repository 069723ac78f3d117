#pragma once
/// @file
/// Tridiagonal form of one large symmetric matrix on all workers (Householder; Dongarra, Sorensen &
/// Hammarling 1989). The blocks, and with them the bits, follow from the matrix's size alone.

#include "core/workers.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// T of A = Q T Qᵀ. Q is the product of reflectors, of which number i has `scales(i)` and, in
/// column i of the matrix that was given, zeros to row i, a one that need not be stored in row i +
/// 1, and what stands below: as LAPACK's `dsytrd` leaves them.
struct TridiagonalForm {
    Vector diagonal;
    Vector off_diagonal;
    Vector scales;
};

/// Of the lower triangle of `a`, at least 1 × 1, that becomes the reflectors.
TridiagonalForm tridiagonal_form(Matrix& a, core::Workers& workers);

}  // namespace ventral::stats

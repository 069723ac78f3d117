#pragma once
/// @file
/// The Cholesky factorisation of one large matrix on all workers. The tiles, and with them the
/// bits, follow from the matrix's size alone.

#include "core/workers.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// `a` is a symmetric positive definite matrix, of which only the lower triangle is read, and below
/// it any number of further rows B. The triangle becomes L, with L Lᵀ the symmetric matrix; what is
/// above it is undefined; B becomes B L⁻ᵀ. Returns false if the matrix is not positive definite.
bool factorise_in_tiles(Matrix& a, core::Workers& workers);

/// b ← (L Lᵀ)⁻¹ b, in blocks of columns. Throws what `solve_with_cholesky` throws.
void solve_factorised(const Matrix& factor, Matrix& b, core::Workers& workers);

}  // namespace ventral::stats

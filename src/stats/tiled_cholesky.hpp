#pragma once
/// @file
/// The Cholesky factorisation of one large matrix on all workers. The tiles, and with them the
/// bits, follow from the matrix's size alone.

#include "core/workers.hpp"
#include "stats/matrix.hpp"

namespace ventral::stats {

/// Lower triangle of `a` ← L with a = L Lᵀ, for symmetric positive definite `a`, of which only the
/// lower triangle is read; what is above it is undefined. Returns false if `a` is not positive
/// definite.
bool factorise_in_tiles(Matrix& a, core::Workers& workers);

/// b ← (L Lᵀ)⁻¹ b, in blocks of columns.
void solve_factorised(const Matrix& factor, Matrix& b, core::Workers& workers);

}  // namespace ventral::stats

#pragma once
/// @file
/// QR of many rows, a block of them after the other (Demmel et al. 2012, sequential TSQR), of which
/// only the triangle is kept.

#include "core/workers.hpp"
#include "stats/matrix.hpp"

namespace ventral::stats {

/// upper ← the triangle of the QR factorisation of [upper; rows], `upper` being square and upper
/// triangular. `rows` is used up. The shapes of all calls follow from those of both.
void absorb_rows(Matrix& upper, Eigen::Ref<Matrix> rows, core::Workers& workers);

}  // namespace ventral::stats

#pragma once
/// @file
/// QR of many rows, a block of them after the other (Demmel et al. 2012, sequential TSQR), of which
/// only the triangle is kept.

#include <cstddef>
#include <span>

#include "core/workers.hpp"
#include "stats/gram/team_share.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// upper ← the triangle of the QR factorisation of [upper; rows], `upper` being square and upper
/// triangular. `rows` is used up. The shapes of all calls follow from those of both.
void absorb_rows(Matrix& upper, Eigen::Ref<Matrix> rows, core::Workers& workers);

/// Doubles that ranks share beside the matrices when they absorb rows together.
inline constexpr std::size_t absorbing_scratch = 4096;

/// The same by the workers of all ranks of a team; both matrices and `scratch` lie in memory that
/// they see, ready on every rank. The bits are those of one rank. Collective.
void absorb_rows(Eigen::Ref<Matrix> upper, Eigen::Ref<Matrix> rows, std::span<double> scratch,
                 core::Workers& workers, const TeamShare& team);

}  // namespace ventral::stats

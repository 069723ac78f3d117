#pragma once
/// @file
/// Least squares by the routine of LAPACK that the reference calls.

#include <optional>

#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// Singular values, the largest first, and how many of them were kept.
struct CutSingularValues {
    Vector singular;
    int rank = 0;
};

/// b ← a⁺ b, in its first a.cols() rows, by dgelsd, for which singular values of at most `cutoff`
/// times the largest are zero. `a`, at least as high as it is wide, is used up. Nothing if the SVD
/// does not converge.
std::optional<CutSingularValues> solve_cut(Matrix& a, Matrix& b, double cutoff);

}  // namespace ventral::stats

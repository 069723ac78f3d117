#include "stats/linear_algebra/least_squares.hpp"

#include <lapacke.h>

#include "stats/linear_algebra/lapack_workspace.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {

std::optional<CutSingularValues> solve_cut(Matrix& a, Matrix& b, double cutoff) {
    CutSingularValues cut{Vector(a.cols())};
    const int rows = blas_size(a.rows());
    const int failed = with_workspace(LAPACKE_dgelsd(LAPACK_COL_MAJOR, rows, blas_size(a.cols()),
                                                     blas_size(b.cols()), a.data(), rows, b.data(),
                                                     rows, cut.singular.data(), cutoff, &cut.rank));
    if (failed) return std::nullopt;
    return cut;
}

}  // namespace ventral::stats

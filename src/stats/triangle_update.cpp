#include "stats/triangle_update.hpp"

#include <algorithm>

#include <lapacke.h>

#include "stats/linear_algebra.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index panel = 128;         // columns eliminated before the others are updated
constexpr Eigen::Index inner_block = 32;    // columns of one compact reflector
constexpr Eigen::Index update_block = 256;  // columns that one task updates

}  // namespace

void absorb_rows(Matrix& upper, Eigen::Ref<Matrix> rows, core::Workers& workers) {
    const Eigen::Index n = upper.rows();
    const int height = blas_size(rows.rows());
    const int stride = blas_size(rows.outerStride());
    for (Eigen::Index first = 0; first < n; first += panel) {
        const Eigen::Index width = std::min(panel, n - first);
        const Eigen::Index inner = std::min(inner_block, width);
        Matrix factor(inner, width);
        Vector work(inner * width);
        double* reflectors = rows.col(first).data();
        LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, height, blas_size(width), 0, blas_size(inner),
                            upper.col(first).data() + first, blas_size(n), reflectors, stride,
                            factor.data(), blas_size(inner), work.data());
        const Eigen::Index rest = first + width;
        const auto blocks = static_cast<std::size_t>((n - rest + update_block - 1) / update_block);
        workers.parallel_for(blocks, [&](std::size_t block) {
            const Eigen::Index column = rest + static_cast<Eigen::Index>(block) * update_block;
            const Eigen::Index columns = std::min(update_block, n - column);
            Vector space(columns * inner);
            LAPACKE_dtpmqrt_work(LAPACK_COL_MAJOR, 'L', 'T', height, blas_size(columns),
                                 blas_size(width), 0, blas_size(inner), reflectors, stride,
                                 factor.data(), blas_size(inner), upper.col(column).data() + first,
                                 blas_size(n), rows.col(column).data(), stride, space.data());
        });
    }
}

}  // namespace ventral::stats

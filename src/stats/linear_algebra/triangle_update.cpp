#include "stats/linear_algebra/triangle_update.hpp"

#include <algorithm>

#include <lapacke.h>

#include "core/ceil_divide.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index panel = 128;         // columns eliminated before the others are updated
constexpr Eigen::Index inner_block = 32;    // columns of one compact reflector
constexpr Eigen::Index update_block = 256;  // columns that one task updates

static_assert(absorbing_scratch == inner_block * panel);

}  // namespace

void absorb_rows(Matrix& upper, Eigen::Ref<Matrix> rows, core::Workers& workers) {
    Vector scratch(static_cast<Eigen::Index>(absorbing_scratch));
    absorb_rows(upper, rows, {scratch.data(), absorbing_scratch}, workers, {});
}

void absorb_rows(Eigen::Ref<Matrix> upper, Eigen::Ref<Matrix> rows, std::span<double> scratch,
                 core::Workers& workers, const TeamShare& team) {
    const Eigen::Index n = upper.rows();
    const int height = blas_size(rows.rows());
    const int stride = blas_size(rows.outerStride());
    const int order = blas_size(upper.outerStride());
    double* factor = scratch.data();
    for (Eigen::Index first = 0; first < n; first += panel) {
        const Eigen::Index width = std::min(panel, n - first);
        const Eigen::Index inner = std::min(inner_block, width);
        double* reflectors = rows.col(first).data();
        if (team.rank == 0) {
            Vector work(inner * width);
            LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, height, blas_size(width), 0, blas_size(inner),
                                upper.col(first).data() + first, order, reflectors, stride, factor,
                                blas_size(inner), work.data());
        }
        team.barrier();
        const Eigen::Index rest = first + width;
        const auto blocks = static_cast<std::size_t>(core::ceil_divide(n - rest, update_block));
        const auto own = (blocks + team.size - 1 - team.rank) / team.size;
        workers.parallel_for(own, [&](std::size_t task) {
            const std::size_t block = team.rank + task * team.size;
            const Eigen::Index column = rest + static_cast<Eigen::Index>(block) * update_block;
            const Eigen::Index columns = std::min(update_block, n - column);
            Vector space(columns * inner);
            LAPACKE_dtpmqrt_work(LAPACK_COL_MAJOR, 'L', 'T', height, blas_size(columns),
                                 blas_size(width), 0, blas_size(inner), reflectors, stride, factor,
                                 blas_size(inner), upper.col(column).data() + first, order,
                                 rows.col(column).data(), stride, space.data());
        });
        team.barrier();
    }
}

}  // namespace ventral::stats

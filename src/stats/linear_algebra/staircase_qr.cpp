#include "stats/linear_algebra/staircase_qr.hpp"

#include <algorithm>
#include <cassert>

#include <lapacke.h>

#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index panel_width = 64;
constexpr Eigen::Index update_block = 256;  // columns that are reflected at a time

}  // namespace

StaircaseQr::StaircaseQr(Matrix a, std::vector<Eigen::Index> heights) : a_(std::move(a)) {
    assert(a_.rows() >= a_.cols());
    const int stride = blas_size(a_.outerStride());
    for (Eigen::Index first = 0; first < a_.cols(); first += panel_width) {
        const Eigen::Index width = std::min(panel_width, a_.cols() - first);
        const Eigen::Index end = first + width;
        const Eigen::Index height = heights[static_cast<std::size_t>(end - 1)] - first;
        assert(height >= width);
        panels_.push_back({first, width, height, Matrix(width, width)});
        auto& panel = panels_.back();
        Vector work(width * width);
        LAPACKE_dgeqrt_work(LAPACK_COL_MAJOR, blas_size(height), blas_size(width), blas_size(width),
                            a_.col(first).data() + first, stride, panel.factor.data(),
                            blas_size(width), work.data());
        reflect(panel, 'T', a_.rightCols(a_.cols() - end));
    }
}

void StaircaseQr::reflect(const Panel& panel, char transposed, Eigen::Ref<Matrix> b) const {
    Vector work(update_block * panel.width);
    for (Eigen::Index column = 0; column < b.cols(); column += update_block) {
        const Eigen::Index columns = std::min(update_block, b.cols() - column);
        LAPACKE_dgemqrt_work(LAPACK_COL_MAJOR, 'L', transposed, blas_size(panel.height),
                             blas_size(columns), blas_size(panel.width), blas_size(panel.width),
                             a_.col(panel.first).data() + panel.first, blas_size(a_.outerStride()),
                             panel.factor.data(), blas_size(panel.width),
                             b.col(column).data() + panel.first, blas_size(b.outerStride()),
                             work.data());
    }
}

Matrix StaircaseQr::triangle() const {
    Matrix r = Matrix::Zero(a_.cols(), a_.cols());
    for (Eigen::Index j = 0; j < a_.cols(); ++j) r.col(j).head(j + 1) = a_.col(j).head(j + 1);
    return r;
}

void StaircaseQr::apply_transposed(Matrix& b) const {
    for (const auto& panel : panels_) reflect(panel, 'T', b);
}

void StaircaseQr::apply(Matrix& b) const {
    for (auto panel = panels_.rbegin(); panel != panels_.rend(); ++panel) reflect(*panel, 'N', b);
}

}  // namespace ventral::stats

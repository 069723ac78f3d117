#include "stats/staircase_qr.hpp"

#include <algorithm>
#include <cassert>

#include <lapacke.h>

namespace ventral::stats {
namespace {

constexpr Eigen::Index panel_width = 64;
constexpr Eigen::Index update_block = 256;  // columns that are reflected at a time

int lapack_size(Eigen::Index n) { return static_cast<int>(n); }

}  // namespace

StaircaseQr::StaircaseQr(Matrix a, std::vector<Eigen::Index> heights) : a_(std::move(a)) {
    assert(a_.rows() >= a_.cols());
    const int stride = lapack_size(a_.outerStride());
    for (Eigen::Index first = 0; first < a_.cols(); first += panel_width) {
        const Eigen::Index width = std::min(panel_width, a_.cols() - first);
        const Eigen::Index end = first + width;
        const Eigen::Index height = heights[static_cast<std::size_t>(end - 1)] - first;
        assert(height >= width);
        panels_.push_back({first, width, height, Matrix(width, width)});
        auto& panel = panels_.back();
        Vector work(width * width);
        LAPACKE_dgeqrt_work(LAPACK_COL_MAJOR, lapack_size(height), lapack_size(width),
                            lapack_size(width), a_.col(first).data() + first, stride,
                            panel.factor.data(), lapack_size(width), work.data());
        reflect(panel, 'T', a_.rightCols(a_.cols() - end));
    }
}

void StaircaseQr::reflect(const Panel& panel, char transposed, Eigen::Ref<Matrix> b) const {
    Vector work(update_block * panel.width);
    for (Eigen::Index column = 0; column < b.cols(); column += update_block) {
        const Eigen::Index columns = std::min(update_block, b.cols() - column);
        LAPACKE_dgemqrt_work(LAPACK_COL_MAJOR, 'L', transposed, lapack_size(panel.height),
                             lapack_size(columns), lapack_size(panel.width),
                             lapack_size(panel.width), a_.col(panel.first).data() + panel.first,
                             lapack_size(a_.outerStride()), panel.factor.data(),
                             lapack_size(panel.width), b.col(column).data() + panel.first,
                             lapack_size(b.outerStride()), work.data());
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

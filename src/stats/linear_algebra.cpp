#include "stats/linear_algebra.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <cblas.h>
#include <lapacke.h>

namespace ventral::stats {
namespace {

constexpr Eigen::Index target_block = 1024;

int blas_size(Eigen::Index n) { return static_cast<int>(n); }

}  // namespace

void use_one_blas_thread() { openblas_set_num_threads(1); }

Matrix multiply(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b) {
    Matrix out(a.rows(), b.cols());
    if (a.cols() == 0) return Matrix::Zero(a.rows(), b.cols());
    if (out.size() == 0) return out;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, blas_size(a.rows()), blas_size(b.cols()),
                blas_size(a.cols()), 1.0, a.data(), blas_size(a.outerStride()), b.data(),
                blas_size(b.outerStride()), 0.0, out.data(), blas_size(out.rows()));
    return out;
}

Matrix multiply_transposed(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b) {
    Matrix out(a.cols(), b.cols());
    if (a.rows() == 0) return Matrix::Zero(a.cols(), b.cols());
    if (out.size() == 0) return out;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_size(a.cols()), blas_size(b.cols()),
                blas_size(a.rows()), 1.0, a.data(), blas_size(a.outerStride()), b.data(),
                blas_size(b.outerStride()), 0.0, out.data(), blas_size(out.rows()));
    return out;
}

void multiply_rows(const MatrixView& a, const Matrix& b, Eigen::Index first, Eigen::Index count,
                   Matrix& out) {
    constexpr Eigen::Index strip = 256;  // rows whose sums stay in the first-level cache
    constexpr Eigen::Index most = 8;
    if (b.cols() > most) throw std::invalid_argument("multiply_rows: more than 8 vectors");
    std::array<std::array<double, strip>, most> sums;
    for (Eigen::Index start = first; start < first + count; start += strip) {
        const Eigen::Index rows = std::min(strip, first + count - start);
        for (auto& s : sums) s.fill(0.0);
        for (Eigen::Index j = 0; j < a.cols(); ++j) {
            const double* from = a.data() + j * a.outerStride() + start;
            for (Eigen::Index f = 0; f < b.cols(); ++f) {
                const double factor = b(j, f);
                double* s = sums[static_cast<std::size_t>(f)].data();
                for (Eigen::Index i = 0; i < rows; ++i) s[i] += from[i] * factor;
            }
        }
        for (Eigen::Index f = 0; f < b.cols(); ++f)
            std::copy_n(sums[static_cast<std::size_t>(f)].data(), rows, out.col(f).data() + start);
    }
}

Vector times(const Matrix& a, const Vector& x) {
    Vector out = Vector::Zero(a.rows());
    double* s = out.data();
    for (Eigen::Index j = 0; j < a.cols(); ++j) {
        const double* from = a.col(j).data();
        const double factor = x(j);
        for (Eigen::Index i = 0; i < a.rows(); ++i) s[i] += from[i] * factor;
    }
    return out;
}

Vector transposed_times(const Matrix& a, const Vector& x) {
    Vector out(a.cols());
    for (Eigen::Index j = 0; j < a.cols(); ++j) out(j) = dot(column(a, j), as_span(x));
    return out;
}

bool solve_positive_definite(Matrix& a, Matrix& b) {
    const int n = blas_size(a.rows());
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, a.data(), n) != 0) return false;
    for (Eigen::Index first = 0; first < b.cols(); first += target_block) {
        const int columns = blas_size(std::min(target_block, b.cols() - first));
        LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, columns, a.data(), n, b.col(first).data(), n);
    }
    return true;
}

Matrix pseudo_inverse(const Matrix& a, double relative_cutoff) {
    const Eigen::Index rows = a.rows();
    const Eigen::Index cols = a.cols();
    const Eigen::Index rank = std::min(rows, cols);
    Matrix work = a;
    Matrix u(rows, rank);
    Matrix vt(rank, cols);
    Vector s(rank);
    const int failed = LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', blas_size(rows), blas_size(cols),
                                      work.data(), blas_size(rows), s.data(), u.data(),
                                      blas_size(rows), vt.data(), blas_size(rank));
    if (failed) throw std::runtime_error("pseudo_inverse: the SVD did not converge");
    const double cutoff = relative_cutoff * s(0);
    for (Eigen::Index k = 0; k < rank; ++k) {
        const double factor = s(k) > cutoff ? 1.0 / s(k) : 0.0;
        vt.row(k) *= factor;
    }
    return multiply_transposed(vt, u.transpose());
}

}  // namespace ventral::stats

#include "stats/linear_algebra/linear_algebra.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include <cblas.h>
#include <lapacke.h>

#include "core/errors.hpp"
#include "stats/linear_algebra/eps.hpp"
#include "stats/linear_algebra/lapack_workspace.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index target_block = 1024;

constexpr Eigen::Index most_vectors = 8;
constexpr Eigen::Index lanes = 8;  // of `stats::dot`

using Lanes = Eigen::Array<double, lanes, 1>;

Lanes lanes_at(const double* values) { return Eigen::Map<const Lanes>(values); }

/// Adds the products of `count` entries to the lanes of each of the columns.
template <std::size_t Columns>
void add_products(const std::array<const double*, Columns>& columns, const double* x,
                  Eigen::Index count, std::array<Lanes, Columns>& sums) {
    std::array<Lanes, Columns> s = sums;
    const Eigen::Index whole = count / lanes * lanes;
    for (Eigen::Index j = 0; j < whole; j += lanes) {
        const Lanes factor = lanes_at(x + j);
        for (std::size_t c = 0; c < Columns; ++c) s[c] += lanes_at(columns[c] + j) * factor;
    }
    for (Eigen::Index j = whole; j < count; ++j)
        for (std::size_t c = 0; c < Columns; ++c) s[c](j - whole) += columns[c][j] * x[j];
    sums = s;
}

/// Some columns with all vectors, piece by piece, so that a piece of each is in the first-level
/// cache while it is used.
template <std::size_t Columns>
void dot_some_columns(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                      Eigen::Index first, Eigen::Ref<Matrix>& out) {
    constexpr Eigen::Index piece = 256;
    std::array<std::array<Lanes, Columns>, most_vectors> sums;
    for (auto& of_vector : sums) of_vector.fill(Lanes::Zero());
    for (Eigen::Index row = 0; row < a.rows(); row += piece) {
        std::array<const double*, Columns> columns;
        for (std::size_t c = 0; c < Columns; ++c)
            columns[c] = a.col(first + static_cast<Eigen::Index>(c)).data() + row;
        const Eigen::Index count = std::min(piece, a.rows() - row);
        for (Eigen::Index f = 0; f < b.cols(); ++f)
            add_products<Columns>(columns, b.col(f).data() + row, count,
                                  sums[static_cast<std::size_t>(f)]);
    }
    for (Eigen::Index f = 0; f < b.cols(); ++f)
        for (std::size_t c = 0; c < Columns; ++c) {
            const Lanes& s = sums[static_cast<std::size_t>(f)][c];
            out(first + static_cast<Eigen::Index>(c), f) =
                sum({s.data(), static_cast<std::size_t>(lanes)});
        }
}

}  // namespace

void use_one_blas_thread() { openblas_set_num_threads(1); }

void take_product_out(Matrix& matrix, const Vector& a, const Vector& b) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
        double* to = matrix.col(j).data();
        const double factor = b(j);
        for (Eigen::Index i = 0; i < matrix.rows(); ++i) to[i] -= a(i) * factor;
    }
}

Matrix side_by_side(const std::vector<Vector>& columns, std::size_t first, Eigen::Index rows) {
    Matrix matrix(rows, static_cast<Eigen::Index>(columns.size() - first));
    for (std::size_t k = first; k < columns.size(); ++k)
        matrix.col(static_cast<Eigen::Index>(k - first)) = columns[k];
    return matrix;
}

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

void dot_columns(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                 Eigen::Index first, Eigen::Index count, Eigen::Ref<Matrix> out) {
    if (b.cols() > most_vectors) throw std::invalid_argument("dot_columns: more than 8 vectors");
    const Eigen::Index end = first + count;
    Eigen::Index i = first;
    for (; i + 4 <= end; i += 4) dot_some_columns<4>(a, b, i, out);
    for (; i < end; ++i) dot_some_columns<1>(a, b, i, out);
}

Vector times(const Eigen::Ref<const Matrix>& a, const Vector& x) {
    Vector out = Vector::Zero(a.rows());
    double* s = out.data();
    for (Eigen::Index j = 0; j < a.cols(); ++j) {
        const double* from = a.col(j).data();
        const double factor = x(j);
        for (Eigen::Index i = 0; i < a.rows(); ++i) s[i] += from[i] * factor;
    }
    return out;
}

Vector transposed_times(const Eigen::Ref<const Matrix>& a, const Vector& x) {
    Vector out(a.cols());
    dot_columns(a, x, 0, a.cols(), out);
    return out;
}

double square_sum(const Matrix& matrix) {
    double total = 0;
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
        total += dot(column(matrix, j), column(matrix, j));
    return total;
}

Vector gram_times(const Eigen::Ref<const Matrix>& a, const Vector& x) {
    constexpr Eigen::Index group = 4;  // of columns, which the second use finds in the cache
    Vector products(a.cols());
    Vector out = Vector::Zero(a.rows());
    double* s = out.data();
    Eigen::Index j = 0;
    for (; j + group <= a.cols(); j += group) {
        dot_columns(a, x, j, group, products);
        const double *c0 = a.col(j).data(), *c1 = a.col(j + 1).data(), *c2 = a.col(j + 2).data(),
                     *c3 = a.col(j + 3).data();
        const double f0 = products(j), f1 = products(j + 1), f2 = products(j + 2),
                     f3 = products(j + 3);
        for (Eigen::Index i = 0; i < a.rows(); ++i)
            s[i] += (c0[i] * f0 + c1[i] * f1) + (c2[i] * f2 + c3[i] * f3);
    }
    for (; j < a.cols(); ++j) {
        dot_columns(a, x, j, 1, products);
        const double* column = a.col(j).data();
        for (Eigen::Index i = 0; i < a.rows(); ++i) s[i] += column[i] * products(j);
    }
    return out;
}

Vector orthogonal_vector(Matrix a) {
    const int rows = blas_size(a.rows());
    const int columns = blas_size(a.cols());
    Vector factors(a.cols());
    // Of no structure that data have: parts of the multiples of the golden ratio.
    Vector v = Vector::Zero(a.rows());
    for (Eigen::Index i = a.cols(); i < a.rows(); ++i) {
        const double multiple = static_cast<double>(i) * 0.6180339887498949;
        v(i) = multiple - std::floor(multiple) - 0.5;
    }
    v.normalize();
    with_workspace(LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, columns, a.data(), rows, factors.data()));
    with_workspace(LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'N', rows, 1, columns, a.data(), rows,
                                  factors.data(), v.data(), rows));
    return v;
}

void solve_with_cholesky(const Matrix& factor, Eigen::Ref<Matrix> b) {
    if (LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', blas_size(factor.rows()), blas_size(b.cols()),
                       factor.data(), blas_size(factor.rows()), b.data(),
                       blas_size(b.outerStride())) != 0)
        throw core::InputError("ridge: the responses are too large to be solved for");
}

bool solve_positive_definite(Matrix& a, Matrix& b) {
    const int n = blas_size(a.rows());
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, a.data(), n) != 0) return false;
    for (Eigen::Index first = 0; first < b.cols(); first += target_block) {
        solve_with_cholesky(a, b.middleCols(first, std::min(target_block, b.cols() - first)));
    }
    return true;
}

double rounding_of(const Eigen::Ref<const Matrix>& a) {
    return eps * static_cast<double>(a.cols()) * a.diagonal().maxCoeff();
}

bool has_lost_pivot(const Matrix& factor, const Vector& diagonal) {
    const double share = eps * static_cast<double>(factor.cols());
    for (Eigen::Index i = 0; i < factor.cols(); ++i)
        if (!(factor(i, i) * factor(i, i) > share * diagonal(i))) return true;
    return false;
}

ThinSvd thin_svd(Matrix a) {
    const Eigen::Index rows = a.rows();
    const Eigen::Index cols = a.cols();
    const Eigen::Index rank = std::min(rows, cols);
    const auto shape = [&] { return std::to_string(rows) + " x " + std::to_string(cols); };
    if (rank > most_svd_rank)
        throw core::InputError("the singular values of " + shape() + " numbers are wanted (up to " +
                               std::to_string(most_svd_rank) + " rows or columns can be)");
    ThinSvd svd{Matrix(rows, rank), Vector(rank), Matrix(rank, cols)};
    const int failed = with_workspace(LAPACKE_dgesdd(
        LAPACK_COL_MAJOR, 'S', blas_size(rows), blas_size(cols), a.data(), blas_size(rows),
        svd.s.data(), svd.u.data(), blas_size(rows), svd.vt.data(), blas_size(rank)));
    if (failed)
        throw core::InputError("the singular values of " + shape() +
                               " numbers were not found (they are NaN or infinite)");
    return svd;
}

Matrix pseudo_inverse(const Matrix& a, double relative_cutoff, double alpha) {
    auto [u, s, vt] = thin_svd(a);
    const double cutoff = relative_cutoff * s(0);
    for (Eigen::Index k = 0; k < s.size(); ++k) {
        const double factor = s(k) > cutoff ? 1.0 / (s(k) + alpha / s(k)) : 0.0;
        vt.row(k) *= factor;
    }
    return multiply_transposed(vt, u.transpose());
}

}  // namespace ventral::stats

#pragma once
/// @file
/// The few products and factorisations that the numerics need. Bits follow from the shapes alone:
/// BLAS and LAPACK run on one thread, and the products with few columns are our own loops, whose
/// every element is added up in a fixed order.

#include <cassert>
#include <cstddef>
#include <limits>
#include <vector>

#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// Limits OpenBLAS to one thread per call, as all of `stats` needs; called once at the start.
void use_one_blas_thread();

/// A size as BLAS and LAPACK take it.
inline int blas_size(Eigen::Index n) {
    assert(n <= std::numeric_limits<int>::max());
    return static_cast<int>(n);
}

/// aᵀ · b by the `dot` of `matrix.hpp`.
inline double dot(const Vector& a, const Vector& b) { return dot(as_span(a), as_span(b)); }

/// matrix ← matrix − a bᵀ.
void take_product_out(Matrix& matrix, const Vector& a, const Vector& b);

/// columns[first], columns[first + 1], … of `rows` entries each as one matrix.
Matrix side_by_side(const std::vector<Vector>& columns, std::size_t first, Eigen::Index rows);

/// a · b, or aᵀ · b.
Matrix multiply(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b);
Matrix multiply_transposed(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b);

/// out(i, f) = dot(a.col(i), b.col(f)), with the very bits of `dot`, for the columns
/// [first, first + count) of `a`: aᵀ · b of few vectors, with `a` read once. `b` has at most 8
/// columns.
void dot_columns(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                 Eigen::Index first, Eigen::Index count, Eigen::Ref<Matrix> out);

/// a · x and aᵀ · x.
Vector times(const Eigen::Ref<const Matrix>& a, const Vector& x);
Vector transposed_times(const Eigen::Ref<const Matrix>& a, const Vector& x);

/// Of all entries.
double square_sum(const Matrix& matrix);

/// a · aᵀ · x, for which `a` is read once.
Vector gram_times(const Eigen::Ref<const Matrix>& a, const Vector& x);

/// A vector of length 1, of no special direction, that is orthogonal to the columns of `a`, which
/// are fewer than its rows.
Vector orthogonal_vector(Matrix a);

/// b ← (L Lᵀ)⁻¹ b, all columns at once, of the lower triangle L. Throws `core::InputError` if L or
/// `b` holds a NaN, as of responses so large that their mean overflows.
void solve_with_cholesky(const Matrix& factor, Eigen::Ref<Matrix> b);

/// Solves a x = b for symmetric positive definite `a` (its lower triangle is used and overwritten);
/// `b` becomes the solution. Columns of `b` are solved in blocks of 1024. Returns false if `a` is
/// not positive definite. Throws what `solve_with_cholesky` throws.
bool solve_positive_definite(Matrix& a, Matrix& b);

/// What rounding may leave in place of a zero eigenvalue of a positive semidefinite `a`: n eps
/// times its largest diagonal entry.
double rounding_of(const Eigen::Ref<const Matrix>& a);

/// True if a pivot of the Cholesky factor of a matrix with this diagonal may be nothing but
/// rounding: n eps times its diagonal entry, or less.
bool has_lost_pivot(const Matrix& factor, const Vector& diagonal);

/// a = u · diag(s) · vt, with s falling.
struct ThinSvd {
    Matrix u;   ///< rows × min(rows, cols)
    Vector s;   ///< min(rows, cols)
    Matrix vt;  ///< min(rows, cols) × cols
};

/// LAPACK counts the workspace of an SVD, 4 r² + 7 r numbers, in 32 bits.
inline constexpr Eigen::Index most_svd_rank = 23'000;

/// Throws `core::InputError` if rows and columns are both more than `most_svd_rank`, or the values
/// are NaN or infinite.
ThinSvd thin_svd(Matrix a);

/// Moore–Penrose inverse by SVD, or of a ridge (aᵀ a + alpha I)⁻¹ aᵀ, in which nothing is squared;
/// singular values below `relative_cutoff` · largest count as zero.
Matrix pseudo_inverse(const Matrix& a, double relative_cutoff, double alpha = 0);

}  // namespace ventral::stats

#pragma once
/// @file
/// The matrix types of the numerics, and sums whose bits no alignment changes.

#include <cstddef>
#include <span>

#include <Eigen/Core>

namespace ventral::stats {

/// Column-major float64. Rows are presentations wherever both rows and columns could be.
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
/// A matrix that somebody else owns, for example in shared memory.
using MatrixView = Eigen::Map<const Eigen::MatrixXd>;

inline MatrixView view_of(const Matrix& matrix) {
    return {matrix.data(), matrix.rows(), matrix.cols()};
}

/// Sum in eight fixed lanes. Eigen's reductions peel by alignment, so that their bits depend on the
/// address; everything that reaches a score is added up by these.
double sum(std::span<const double> values);
double dot(std::span<const double> a, std::span<const double> b);
double euclidean_norm(std::span<const double> values);

inline std::span<const double> column(const Matrix& matrix, Eigen::Index j) {
    return {matrix.col(j).data(), static_cast<std::size_t>(matrix.rows())};
}
inline std::span<const double> as_span(const Vector& v) {
    return {v.data(), static_cast<std::size_t>(v.size())};
}

}  // namespace ventral::stats

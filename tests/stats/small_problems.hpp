#pragma once
/// @file
/// Regression problems whose numbers follow from a formula, so that Python can be given the same.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/portable_random.hpp"
#include "stats/folds/folds.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::test {

/// Entry (i, j) is ((7 i + 5 j + i² j) mod 11) / 4.
inline stats::Matrix formula_features(Eigen::Index rows, Eigen::Index columns) {
    return stats::Matrix::NullaryExpr(rows, columns, [](Eigen::Index i, Eigen::Index j) {
        return static_cast<double>((7 * i + 5 * j + i * i * j) % 11) / 4;
    });
}

/// Entry (i, j) is ((3 i + 4 j + i² (j + 1)) mod 13) / 8.
inline stats::Matrix formula_targets(Eigen::Index rows, Eigen::Index columns) {
    return stats::Matrix::NullaryExpr(rows, columns, [](Eigen::Index i, Eigen::Index j) {
        return static_cast<double>((3 * i + 4 * j + i * i * (j + 1)) % 13) / 8;
    });
}

/// Entries in [-1, 1).
inline stats::Matrix random_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
    core::PortableRandom random(seed);
    stats::Matrix matrix(rows, columns);
    for (Eigen::Index j = 0; j < columns; ++j)
        for (Eigen::Index i = 0; i < rows; ++i) matrix(i, j) = random.uniform(-1, 1);
    return matrix;
}

/// X Xᵀ, of features as they are.
inline stats::Matrix plain_gram(const stats::Matrix& x) { return x * x.transpose(); }

/// X Xᵀ of features minus their means.
inline stats::Matrix centred_gram(const stats::Matrix& x) {
    return plain_gram(x.rowwise() - x.colwise().mean());
}

inline stats::MatrixView view(const stats::Matrix& matrix) {
    return {matrix.data(), matrix.rows(), matrix.cols()};
}

/// first, first + 1, … last - 1.
inline std::vector<Eigen::Index> rows_from(Eigen::Index first, Eigen::Index last) {
    std::vector<Eigen::Index> rows(static_cast<std::size_t>(last - first));
    std::iota(rows.begin(), rows.end(), first);
    return rows;
}

/// The symmetric matrix of which entry (c + d, c) is that of (d, c).
inline stats::Matrix whole_of_band(const stats::Matrix& band) {
    stats::Matrix whole = stats::Matrix::Zero(band.cols(), band.cols());
    for (Eigen::Index d = 0; d < std::min(band.rows(), band.cols()); ++d)
        whole.diagonal(-d) = whole.diagonal(d) = band.row(d).head(band.cols() - d);
    return whole;
}

inline double largest_difference(const stats::Matrix& a, const stats::Matrix& b) {
    return (a - b).cwiseAbs().maxCoeff();
}

}  // namespace ventral::test

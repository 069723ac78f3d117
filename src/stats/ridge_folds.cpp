#include "stats/ridge_folds.hpp"

#include <algorithm>
#include <utility>

#include <cblas.h>
#include <lapacke.h>

#include "stats/blocks.hpp"
#include "stats/linear_algebra.hpp"
#include "stats/ridge.hpp"
#include "stats/tiled_cholesky.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index column_block = 128;
using Rows = std::vector<Eigen::Index>;

Eigen::Index size_of(const Rows& rows) { return static_cast<Eigen::Index>(rows.size()); }

/// All rows: first those that every fold trains on, then those that some fold holds out.
struct RowOrder {
    Rows rows;
    Eigen::Index common;  ///< how many rows every fold trains on
    Rows place;           ///< of each row among the held-out ones, -1 for the others

    RowOrder(std::span<const FoldRows> folds, Eigen::Index count)
        : place(static_cast<std::size_t>(count), -1) {
        for (const auto& fold : folds)
            for (const auto row : fold.test) place[static_cast<std::size_t>(row)] = 0;
        Rows held_out;
        for (Eigen::Index row = 0; row < count; ++row) {
            auto& at = place[static_cast<std::size_t>(row)];
            if (at == 0) at = size_of(held_out);
            (at < 0 ? rows : held_out).push_back(row);
        }
        common = size_of(rows);
        rows.insert(rows.end(), held_out.begin(), held_out.end());
    }

    Eigen::Index held_out() const { return size_of(rows) - common; }
    Eigen::Index operator[](Eigen::Index i) const { return rows[static_cast<std::size_t>(i)]; }
};

template <typename Task>
void for_columns(Eigen::Index columns, core::Workers& workers, const Task& task) {
    const auto blocks = even_blocks(columns, column_block);
    workers.parallel_for(blocks.size(), [&](std::size_t b) {
        for (Eigen::Index j = blocks[b].first; j < blocks[b].first + blocks[b].count; ++j) task(j);
    });
}

/// [M; Ycᵀ] with M = Kc + alpha I + (scale / n) 1 1ᵀ and Yc the centred targets, both in the order
/// of the rows; of M the lower triangle. With K centred on all rows the constant vector is an
/// eigenvector of M, so that P = M⁻¹ − 1 1ᵀ / (n (alpha + scale)) and P Y = M⁻¹ Yc; a scale of the
/// size of the other eigenvalues keeps digits in the difference.
struct System {
    Matrix matrix;
    double share;  ///< 1 / (n (alpha + scale))

    System(const Problem& problem, const RowOrder& order, double alpha, core::Workers& workers)
        : matrix(problem.kernel.rows() + problem.targets.cols(), problem.kernel.rows()) {
        const auto& kernel = problem.kernel;
        const Eigen::Index n = kernel.rows();
        const auto count = static_cast<double>(n);
        Vector mean(n);
        for_columns(n, workers, [&](Eigen::Index j) {
            mean(j) = sum({kernel.col(order[j]).data(), static_cast<std::size_t>(n)}) / count;
        });
        const double grand = sum(as_span(mean)) / count;
        Vector diagonal(n);
        for (Eigen::Index j = 0; j < n; ++j)
            diagonal(j) = kernel(order[j], order[j]) - 2 * mean(j) + grand;
        const double scale = sum(as_span(diagonal)) / count;
        share = 1 / (count * (alpha + scale));

        const Vector target_mean = column_means(problem.targets, order.rows);
        for_columns(n, workers, [&](Eigen::Index j) {
            const double* from = kernel.col(order[j]).data();
            const double shift = grand - mean(j) + scale / count;
            for (Eigen::Index i = j; i < n; ++i) matrix(i, j) = (from[order[i]] - mean(i)) + shift;
            matrix(j, j) += alpha;
            matrix.col(j).tail(target_mean.size()) =
                problem.targets.row(order[j]).transpose() - target_mean;
        });
    }
};

/// Inverse of the lower triangle at `factor`, with zeros above.
Matrix inverted(const Eigen::Ref<const Matrix>& factor, core::Workers& workers) {
    const Eigen::Index n = factor.rows();
    Matrix inverse = Matrix::Zero(n, n);
    const auto blocks = even_blocks(n, column_block);
    workers.parallel_for(blocks.size(), [&](std::size_t b) {
        const auto [first, count] = blocks[b];
        auto part = inverse.block(first, first, n - first, count);
        part.diagonal().setOnes();
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit,
                    blas_size(n - first), blas_size(count), 1.0, factor.col(first).data() + first,
                    blas_size(factor.outerStride()), part.data(), blas_size(n));
    });
    return inverse;
}

/// Columns of the lower triangle `a` times `b`: aᵀ b.
Matrix transposed_product(const Matrix& a, const Matrix& b, core::Workers& workers) {
    Matrix product(a.cols(), b.cols());
    const auto blocks = even_blocks(a.cols(), column_block);
    workers.parallel_for(blocks.size(), [&](std::size_t k) {
        const auto [first, count] = blocks[k];
        product.middleRows(first, count) = multiply_transposed(
            a.block(first, first, a.rows() - first, count), b.bottomRows(b.rows() - first));
    });
    return product;
}

/// The value that column `j` has in all `rows`, if it has one.
bool is_constant(const Matrix& matrix, const Rows& rows, Eigen::Index j) {
    return std::all_of(rows.begin(), rows.end(),
                       [&](Eigen::Index row) { return matrix(row, j) == matrix(rows.front(), j); });
}

double cube(double x) { return x * x * x; }

}  // namespace

bool folds_complement(std::span<const FoldRows> folds, Eigen::Index rows) {
    return std::all_of(folds.begin(), folds.end(), [&](const FoldRows& fold) {
        if (fold.train.empty() || fold.test.empty()) return false;
        if (size_of(fold.train) + size_of(fold.test) != rows) return false;
        std::vector<bool> seen(static_cast<std::size_t>(rows), false);
        for (const auto* side : {&fold.train, &fold.test})
            for (const auto row : *side) {
                if (seen[static_cast<std::size_t>(row)]) return false;
                seen[static_cast<std::size_t>(row)] = true;
            }
        return true;
    });
}

bool one_factorisation_pays(std::span<const FoldRows> folds, Eigen::Index rows,
                            Eigen::Index targets) {
    const RowOrder order(folds, rows);
    const auto n = static_cast<double>(rows);
    const auto m = static_cast<double>(targets);
    const auto u = static_cast<double>(order.held_out());
    double together = cube(n) / 3 + cube(u) / 3 + (n * n + u * u) * m;
    double each = 0;
    for (const auto& fold : folds) {
        const auto t = static_cast<double>(fold.train.size());
        const auto s = static_cast<double>(fold.test.size());
        each += cube(t) / 3 + 2 * t * t * std::min(s, m) + 2 * t * s * m;
        together += u * s * s + cube(s) / 3 + 2 * s * s * m;
    }
    return together < each;
}

RidgeSystem::RidgeSystem(const Problem& problem, std::span<const FoldRows> folds, double alpha,
                         core::Workers& workers)
    : targets_(problem.targets), alpha_(alpha) {
    RowOrder order(folds, problem.kernel.rows());
    System system(problem, order, alpha, workers);
    share_ = system.share;
    if (!factorise_in_tiles(system.matrix, workers)) throw_not_definite(alpha);
    const Eigen::Index u = order.held_out();
    const Eigen::Index m = targets_.cols();
    inverse_ = inverted(system.matrix.block(order.common, order.common, u, u), workers);
    residual_ =
        transposed_product(inverse_, system.matrix.bottomRightCorner(m, u).transpose(), workers);
    place_ = std::move(order.place);
}

std::vector<Matrix> RidgeSystem::predict(std::span<const FoldRows> folds,
                                         core::Workers& workers) const {
    std::vector<Matrix> predictions(folds.size());
    workers.parallel_for(folds.size(), [&](std::size_t f) { predictions[f] = predict(folds[f]); });
    return predictions;
}

Matrix RidgeSystem::predict(const FoldRows& fold) const {
    const Eigen::Index tests = size_of(fold.test);
    Matrix columns(inverse_.rows(), tests);
    Matrix x(tests, targets_.cols());
    for (Eigen::Index t = 0; t < tests; ++t) {
        const auto row = static_cast<std::size_t>(fold.test[static_cast<std::size_t>(t)]);
        columns.col(t) = inverse_.col(place_[row]);
        x.row(t) = residual_.row(place_[row]);
    }
    Matrix part = Matrix::Constant(tests, tests, share_);
    const int n = blas_size(tests);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, blas_size(columns.rows()), 1.0,
                columns.data(), blas_size(columns.rows()), -1.0, part.data(), n);
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, part.data(), n) != 0) throw_not_definite(alpha_);
    LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, blas_size(x.cols()), part.data(), n, x.data(), n);
    Matrix prediction = rows_of(targets_, fold.test) - x;
    for (Eigen::Index j = 0; j < prediction.cols(); ++j)
        if (is_constant(targets_, fold.train, j))
            prediction.col(j).setConstant(targets_(fold.train.front(), j));
    return prediction;
}

}  // namespace ventral::stats

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

constexpr Eigen::Index target_block = 96;
constexpr Eigen::Index column_block = 128;
using Rows = std::vector<Eigen::Index>;

Eigen::Index size_of(const Rows& rows) { return static_cast<Eigen::Index>(rows.size()); }

/// b ← L⁻¹ b, L being the lower triangle of `rows` rows at `factor`.
void solve_lower(const double* factor, Eigen::Index leading, Matrix& b) {
    if (b.size() == 0) return;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit,
                blas_size(b.rows()), blas_size(b.cols()), 1.0, factor, blas_size(leading), b.data(),
                blas_size(b.rows()));
}

/// All rows: first those that every fold trains on, then those that some fold holds out.
struct RowOrder {
    Rows common;
    Rows held_out;
    Rows place;  ///< of each row among the held-out ones, -1 for the others

    RowOrder(std::span<const FoldRows> folds, Eigen::Index rows)
        : place(static_cast<std::size_t>(rows), -1) {
        for (const auto& fold : folds)
            for (const auto row : fold.test) place[static_cast<std::size_t>(row)] = 0;
        for (Eigen::Index row = 0; row < rows; ++row) {
            auto& at = place[static_cast<std::size_t>(row)];
            if (at == 0) {
                at = size_of(held_out);
                held_out.push_back(row);
            } else {
                common.push_back(row);
            }
        }
    }

    Eigen::Index row(Eigen::Index i) const {
        return i < size_of(common) ? common[static_cast<std::size_t>(i)]
                                   : held_out[static_cast<std::size_t>(i - size_of(common))];
    }
};

/// M = Kc + alpha I + (scale / n) 1 1ᵀ in the order of the rows, factorised. With K centred on all
/// rows the constant vector is an eigenvector of M, so that P = M⁻¹ − 1 1ᵀ / (n (alpha + scale));
/// a scale of the size of the other eigenvalues keeps digits in this difference.
struct FactorisedKernel {
    Matrix factor;
    double share;  ///< 1 / (n (alpha + scale))
};

FactorisedKernel factorise(const MatrixView& kernel, const RowOrder& order, double alpha,
                           core::Workers& workers) {
    const Eigen::Index n = kernel.rows();
    const auto blocks = even_blocks(n, column_block);
    const auto for_columns = [&](const auto& task) {
        workers.parallel_for(blocks.size(), [&](std::size_t b) {
            for (Eigen::Index j = blocks[b].first; j < blocks[b].first + blocks[b].count; ++j)
                task(j);
        });
    };
    const auto count = static_cast<double>(n);
    Vector mean(n);
    for_columns([&](Eigen::Index j) {
        mean(j) = sum({kernel.col(order.row(j)).data(), static_cast<std::size_t>(n)}) / count;
    });
    const double grand = sum(as_span(mean)) / count;
    Vector diagonal(n);
    for (Eigen::Index j = 0; j < n; ++j)
        diagonal(j) = kernel(order.row(j), order.row(j)) - 2 * mean(j) + grand;
    const double scale = sum(as_span(diagonal)) / count;

    FactorisedKernel m{Matrix(n, n), 1 / (count * (alpha + scale))};
    for_columns([&](Eigen::Index j) {
        const double* from = kernel.col(order.row(j)).data();
        const double shift = grand - mean(j) + scale / count;
        for (Eigen::Index i = j; i < n; ++i)
            m.factor(i, j) = (from[order.row(i)] - mean(i)) + shift;
        m.factor(j, j) += alpha;
    });
    if (!factorise_in_tiles(m.factor, workers)) throw_not_definite(alpha);
    return m;
}

/// What the folds share: the factor, and the rows that they all train on already eliminated.
class SharedSystem {
public:
    SharedSystem(const Problem& problem, std::span<const FoldRows> folds, double alpha,
                 core::Workers& workers)
        : targets(problem.targets),
          order(folds, problem.kernel.rows()),
          blocks(even_blocks(problem.targets.cols(), target_block)),
          kernel_(factorise(problem.kernel, order, alpha, workers)) {
        if (order.common.empty()) return;
        offset_ = column_means(targets, order.common);
        common_sum_.resize(targets.cols());
        eliminated_.resize(size_of(order.held_out), targets.cols());
        workers.parallel_for(blocks.size(), [&](std::size_t b) { eliminate(blocks[b]); });
    }

    double share() const { return kernel_.share; }

    /// b ← L⁻¹ b in the part of the factor that belongs to the held-out rows.
    void solve_held_out(Matrix& b) const {
        const Eigen::Index first = size_of(order.common);
        solve_lower(kernel_.factor.col(first).data() + first, kernel_.factor.rows(), b);
    }

    /// The targets' means over train rows that the fold shares with the others, if there are any.
    Vector offset(const FoldRows& fold) const {
        return order.common.empty() ? column_means(targets, fold.train) : offset_;
    }

    /// Sum of the common rows' targets, minus their offset.
    double common_sum(Eigen::Index column) const {
        return order.common.empty() ? 0.0 : common_sum_(column);
    }

    /// Takes the common rows' part from the held-out rows' targets.
    void subtract_eliminated(const Block& columns, Matrix& held_out) const {
        if (!order.common.empty()) held_out -= eliminated_.middleCols(columns.first, columns.count);
    }

    const Matrix& targets;
    const RowOrder order;
    const std::vector<Block> blocks;  ///< of targets

private:
    void eliminate(const Block& columns) {
        const Eigen::Index first = size_of(order.common);
        const double* factor = kernel_.factor.data();
        Matrix y = centred_rows(targets.middleCols(columns.first, columns.count), order.common,
                                offset_.segment(columns.first, columns.count));
        for (Eigen::Index j = 0; j < columns.count; ++j)
            common_sum_(columns.first + j) = sum(column(y, j));
        solve_lower(factor, kernel_.factor.rows(), y);
        eliminated_.middleCols(columns.first, columns.count) =
            multiply(kernel_.factor.bottomLeftCorner(size_of(order.held_out), first), y);
    }

    FactorisedKernel kernel_;
    Vector offset_;
    Vector common_sum_;
    Matrix eliminated_;  // L_UR L_RR⁻¹ Y_R with R the common, U the held-out rows
};

/// One fold's part of the system: columns of L⁻¹ of its test rows, and the factor of P_TT.
struct FoldSystem {
    Matrix columns;  ///< held-out rows × test rows
    Matrix factor;
    Vector offset;  ///< of the targets: any one gives the same prediction

    FoldSystem(const SharedSystem& shared, const FoldRows& fold, double alpha)
        : columns(Matrix::Zero(size_of(shared.order.held_out), size_of(fold.test))),
          offset(shared.offset(fold)) {
        for (Eigen::Index t = 0; t < columns.cols(); ++t) columns(place(shared, fold, t), t) = 1;
        shared.solve_held_out(columns);
        factor = multiply_transposed(columns, columns);
        factor.array() -= shared.share();
        const int n = blas_size(factor.rows());
        if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, factor.data(), n) != 0)
            throw_not_definite(alpha);
    }

    static Eigen::Index place(const SharedSystem& shared, const FoldRows& fold, Eigen::Index t) {
        const auto row = static_cast<std::size_t>(fold.test[static_cast<std::size_t>(t)]);
        return shared.order.place[row];
    }
};

/// Columns `block` of the fold's prediction.
void predict(const SharedSystem& shared, const FoldRows& fold, const FoldSystem& system,
             const Block& block, Matrix& prediction) {
    const Vector offset = system.offset.segment(block.first, block.count);
    Matrix y = centred_rows(shared.targets.middleCols(block.first, block.count),
                            shared.order.held_out, offset);
    const auto tests = size_of(fold.test);
    for (Eigen::Index t = 0; t < tests; ++t) y.row(FoldSystem::place(shared, fold, t)).setZero();
    Vector sums(block.count);  // of the train rows: what the constant's share multiplies
    for (Eigen::Index j = 0; j < block.count; ++j)
        sums(j) = shared.common_sum(block.first + j) + sum(column(y, j));
    shared.subtract_eliminated(block, y);
    shared.solve_held_out(y);
    Matrix x = multiply_transposed(system.columns, y);
    for (Eigen::Index j = 0; j < block.count; ++j) x.col(j).array() -= shared.share() * sums(j);
    const int n = blas_size(tests);
    LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, blas_size(block.count), system.factor.data(), n,
                   x.data(), n);
    for (Eigen::Index j = 0; j < block.count; ++j)
        prediction.col(block.first + j) = offset(j) - x.col(j).array();
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
    const auto u = static_cast<double>(order.held_out.size());
    const double r = n - u;
    double together = cube(n) / 3 + r * r * m + 2 * u * r * m;
    double each = 0;
    for (const auto& fold : folds) {
        const auto t = static_cast<double>(fold.train.size());
        const auto s = static_cast<double>(fold.test.size());
        each += cube(t) / 3 + 2 * t * t * std::min(s, m) + 2 * t * s * m;
        together += u * u * (s + m) + 2 * u * s * (s + m) + cube(s) / 3 + 2 * s * s * m;
    }
    return together < each;
}

std::vector<Matrix> ridge_predict_together(const Problem& problem, std::span<const FoldRows> folds,
                                           double alpha, core::Workers& workers) {
    const SharedSystem shared(problem, folds, alpha, workers);
    std::vector<Matrix> predictions(folds.size());
    workers.parallel_for(folds.size(), [&](std::size_t f) {
        const FoldSystem system(shared, folds[f], alpha);
        predictions[f].resize(size_of(folds[f].test), problem.targets.cols());
        workers.parallel_for(shared.blocks.size(), [&](std::size_t b) {
            predict(shared, folds[f], system, shared.blocks[b], predictions[f]);
        });
    });
    return predictions;
}

}  // namespace ventral::stats

#include "stats/regression/ridge_folds.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <cblas.h>
#include <lapacke.h>

#include "core/errors.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"
#include "stats/linear_algebra/tiled_cholesky.hpp"
#include "stats/regression/ridge.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index column_block = 128;
constexpr Eigen::Index tile_edge = 256;
constexpr Eigen::Index target_block = 96;
/// Of K's size to alpha; below it predictions are small beside the targets and lose digits here.
constexpr double least_scale = 1e-3;
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

/// What centring K on all rows takes, in their order, the centred diagonal and its mean.
struct Centring {
    Vector mean;
    Vector diagonal;
    double grand;
    double scale;

    Centring(const MatrixView& kernel, const RowOrder& order, core::Workers& workers)
        : mean(kernel.rows()), diagonal(kernel.rows()) {
        const Eigen::Index n = kernel.rows();
        const auto count = static_cast<double>(n);
        for_columns(n, workers, [&](Eigen::Index j) {
            mean(j) = sum({kernel.col(order[j]).data(), static_cast<std::size_t>(n)}) / count;
        });
        grand = sum(as_span(mean)) / count;
        for (Eigen::Index j = 0; j < n; ++j)
            diagonal(j) = kernel(order[j], order[j]) - 2 * mean(j) + grand;
        scale = sum(as_span(diagonal)) / count;
    }
};

/// What K, centred on all rows, is made the system with.
struct Ridge {
    double alpha;
    const Centring& centring;
};

/// [M; Yᵀ] with M = Kc + alpha I + (scale / n) 1 1ᵀ, of which the lower triangle, and the targets
/// of the common rows minus `offset`, zero for the others; both in the order of the rows.
Matrix joined_system(const Problem& problem, const RowOrder& order, const Ridge& ridge,
                     const Vector& offset, core::Workers& workers) {
    const auto& kernel = problem.kernel.entries();
    const auto& centring = ridge.centring;
    const Eigen::Index n = kernel.rows();
    Matrix joined(n + problem.targets.cols(), n);
    for_columns(n, workers, [&](Eigen::Index j) {
        const double* from = kernel.col(order[j]).data();
        const double shift =
            centring.grand - centring.mean(j) + centring.scale / static_cast<double>(n);
        for (Eigen::Index i = j; i < n; ++i)
            joined(i, j) = (from[order[i]] - centring.mean(i)) + shift;
        joined(j, j) += ridge.alpha;
        auto targets = joined.col(j).tail(offset.size());
        if (j < order.common)
            targets = problem.targets.row(order[j]).transpose() - offset;
        else
            targets.setZero();
    });
    return joined;
}

/// Inverse of the lower triangle at `factor`, with zeros above.
Matrix inverted(const Eigen::Ref<const Matrix>& factor, core::Workers& workers) {
    const Eigen::Index n = factor.rows();
    Matrix inverse = Matrix::Zero(n, n);
    for_blocks(n, column_block, workers, [&](const Block& block) {
        const auto [first, count] = block;
        auto part = inverse.block(first, first, n - first, count);
        part.diagonal().setOnes();
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit,
                    blas_size(n - first), blas_size(count), 1.0, factor.col(first).data() + first,
                    blas_size(factor.outerStride()), part.data(), blas_size(n));
    });
    return inverse;
}

/// aᵀ a of a lower triangle.
Matrix own_product(const Matrix& a, core::Workers& workers) {
    const Eigen::Index n = a.rows();
    Matrix product(n, n);
    const auto blocks = even_blocks(n, tile_edge);
    workers.parallel_for(blocks.size() * blocks.size(), [&](std::size_t t) {
        const auto& row = blocks[t / blocks.size()];
        const auto& col = blocks[t % blocks.size()];
        if (row.first < col.first) return;
        product.block(row.first, col.first, row.count, col.count) =
            multiply_transposed(a.block(row.first, row.first, n - row.first, row.count),
                                a.block(row.first, col.first, n - row.first, col.count));
        if (row.first > col.first)
            product.block(col.first, row.first, col.count, row.count) =
                product.block(row.first, col.first, row.count, col.count).transpose();
    });
    return product;
}

/// aᵀ bᵀ of a lower triangle `a`.
Matrix transposed_product(const Matrix& a, const Eigen::Ref<const Matrix>& b,
                          core::Workers& workers) {
    Matrix product(a.cols(), b.rows());
    for_blocks(a.cols(), column_block, workers, [&](const Block& block) {
        const auto [first, count] = block;
        const Eigen::Index below = a.rows() - first;
        cblas_dgemm(CblasColMajor, CblasTrans, CblasTrans, blas_size(count), blas_size(b.rows()),
                    blas_size(below), 1.0, a.col(first).data() + first, blas_size(a.rows()),
                    b.col(first).data(), blas_size(b.outerStride()), 0.0, product.data() + first,
                    blas_size(product.rows()));
    });
    return product;
}

/// True if column `j` is the same in all `rows`.
bool is_constant(const Matrix& matrix, const Rows& rows, Eigen::Index j) {
    return std::all_of(rows.begin(), rows.end(),
                       [&](Eigen::Index row) { return matrix(row, j) == matrix(rows.front(), j); });
}

double sum_over(const Vector& values, const Rows& rows) {
    std::vector<double> chosen;
    for (const auto row : rows) chosen.push_back(values(row));
    return sum(chosen);
}

/// An inverse would hold the noise of K's rounding.
bool is_lost_in_rounding(double alpha, const MatrixView& kernel) {
    return alpha >= 0 && alpha < rounding_of(kernel);
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
    if (!folds_complement(folds, rows)) return false;
    const RowOrder order(folds, rows);
    const auto n = static_cast<double>(rows);
    const auto m = static_cast<double>(targets);
    const auto u = static_cast<double>(order.held_out());
    double together = cube(n) / 3 + 2 * cube(u) / 3 + (n * n + u * u) * m;
    double each = 0;
    for (const auto& fold : folds) {
        const auto t = static_cast<double>(fold.train.size());
        const auto s = static_cast<double>(fold.test.size());
        each += cube(t) / 3 + 2 * t * t * std::min(s, m) + 2 * t * s * m;
        together += 2 * u * s * m + cube(s) / 3 + 2 * s * s * m;
    }
    return together < each;
}

RidgeSystem::RidgeSystem(const Problem& problem, std::span<const FoldRows> folds, double alpha,
                         core::Workers& workers)
    : targets_(problem.targets), alpha_(alpha) {
    const MatrixView& kernel = problem.kernel.entries();
    RowOrder order(folds, kernel.rows());
    const Centring centring(kernel, order, workers);
    if (!(centring.scale >= least_scale * alpha)) return;
    if (is_lost_in_rounding(alpha, kernel)) return;
    // With K centred on all rows the constant vector is an eigenvector of M, so that
    // P = M⁻¹ − 1 1ᵀ / (n (alpha + scale)); a scale of the size of the other eigenvalues keeps
    // digits in the difference.
    share_ = 1 / (static_cast<double>(kernel.rows()) * (alpha + centring.scale));
    take_common({order.rows.begin(), order.rows.begin() + order.common}, workers);
    spread_.resize(kernel.rows());
    for (Eigen::Index j = 0; j < spread_.size(); ++j) spread_(order[j]) = centring.diagonal(j);
    const Eigen::Index u = order.held_out();
    {
        Matrix joined = joined_system(problem, order, {alpha, centring}, offset_, workers);
        usable_ = factorise_in_tiles(joined, workers);
        if (!usable_ && !(alpha >= 0)) throw_not_definite(alpha);
        if (!usable_) return;
        const Matrix triangle = inverted(joined.block(order.common, order.common, u, u), workers);
        from_common_ =
            transposed_product(triangle, joined.bottomRightCorner(targets_.cols(), u), workers);
        inverse_ = own_product(triangle, workers);
    }
    held_out_.assign(order.rows.begin() + order.common, order.rows.end());
    place_ = std::move(order.place);
}

void RidgeSystem::take_common(Rows rows, core::Workers& workers) {
    common_ = std::move(rows);
    if (!common_.empty())
        offset_ = column_means(targets_, common_);
    else
        offset_ = Vector::Zero(targets_.cols());
    common_sum_.resize(targets_.cols());
    for_columns(targets_.cols(), workers, [&](Eigen::Index j) {
        const Vector of_common = centred_rows(targets_.col(j), common_, offset_.segment(j, 1));
        common_sum_(j) = sum(as_span(of_common));
    });
}

std::vector<std::optional<Matrix>> RidgeSystem::predict(std::span<const FoldRows> folds,
                                                        core::Workers& workers) const {
    assert(usable_);
    std::vector<std::optional<Matrix>> predictions(folds.size());
    workers.parallel_for(folds.size(),
                         [&](std::size_t f) { predictions[f] = predict(folds[f], workers); });
    return predictions;
}

/// What is solved for the test rows of a fold.
struct RidgeSystem::OfFold {
    const Rows& train;
    Rows places = {};     ///< of the test rows among the held-out ones
    Matrix columns = {};  ///< of M⁻¹, of the test rows
    Matrix factor = {};   ///< of P, of test × test rows: its lower triangle
    Vector offset = {};   ///< of the targets
};

std::optional<Matrix> RidgeSystem::predict(const FoldRows& fold, core::Workers& workers) const {
    const Eigen::Index tests = size_of(fold.test);
    OfFold system{fold.train};
    for (const auto row : fold.test) {
        system.places.push_back(place_[static_cast<std::size_t>(row)]);
        assert(system.places.back() >= 0);
    }
    system.columns.resize(inverse_.rows(), tests);
    for (Eigen::Index t = 0; t < tests; ++t)
        system.columns.col(t) = inverse_.col(system.places[static_cast<std::size_t>(t)]);
    system.factor = rows_of(system.columns, system.places).array() - share_;
    const int n = blas_size(tests);
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, system.factor.data(), n) != 0) return std::nullopt;
    // One over its square is alpha and what some test row has that no train row has. Where that is
    // more than the train rows have all together, a fit of them alone has more digits.
    const double pivot = system.factor.diagonal().minCoeff();
    if (!(pivot * pivot * (alpha_ + sum_over(spread_, fold.train)) > 1)) return std::nullopt;

    system.offset = common_.empty() ? column_means(targets_, fold.train) : offset_;
    Matrix prediction(tests, targets_.cols());
    for_blocks(targets_.cols(), target_block, workers,
               [&](const Block& targets) { predict_targets(system, targets, prediction); });
    return prediction;
}

void RidgeSystem::predict_targets(const OfFold& system, const Block& targets,
                                  Matrix& prediction) const {
    const auto [first, count] = targets;
    Matrix y = centred_rows(targets_.middleCols(first, count), held_out_,
                            system.offset.segment(first, count));
    for (const auto place : system.places) y.row(place).setZero();
    Matrix x = multiply_transposed(system.columns, y);
    for (Eigen::Index j = 0; j < count; ++j) {
        const double sum_of_train = common_sum_(first + j) + sum(column(y, j));
        for (Eigen::Index t = 0; t < x.rows(); ++t)
            x(t, j) += from_common_(system.places[static_cast<std::size_t>(t)], first + j) -
                       share_ * sum_of_train;
    }
    solve_with_cholesky(system.factor, x);
    for (Eigen::Index j = 0; j < count; ++j) {
        if (is_constant(targets_, system.train, first + j))
            prediction.col(first + j).setConstant(targets_(system.train.front(), first + j));
        else
            prediction.col(first + j) = system.offset(first + j) - x.col(j).array();
    }
}

}  // namespace ventral::stats

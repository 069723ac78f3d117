#include "stats/pls/pls_targets.hpp"

#include <algorithm>
#include <cmath>

#include "stats/gram/matrix_slabs.hpp"
#include "stats/gram/reduced_features.hpp"
#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index target_block = 1024;
constexpr Eigen::Index centred_together = 16;  // targets that one task centres

}  // namespace

Matrix centre_targets(const Matrix& targets, std::span<const FoldRows> folds,
                      core::Workers& workers) {
    const auto rows = rows_in_use(targets.rows(), folds);
    Matrix centred(targets.rows(), targets.cols());
    for_blocks(targets.cols(), centred_together, workers, [&](const Block& block) {
        const auto [first, count] = block;
        const Vector means = column_means(targets.middleCols(first, count), rows);
        centred.middleCols(first, count).setZero();
        for (Eigen::Index j = 0; j < count; ++j)
            for (const auto row : rows)
                centred(row, first + j) = targets(row, first + j) - means(j);
    });
    return centred;
}

void PlsScores::project_out(Vector& v) const {
    for (std::size_t k = 0; k < vectors.size(); ++k)
        v.array() -= dot(as_span(vectors[k]), as_span(v)) / squares[k] * vectors[k].array();
}

bool has_vanished(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(),
                       [](double y) { return std::abs(y) < pls_vanished; });
}

PlsTargets::PlsTargets(const Matrix& targets, const FoldRows& fold)
    : targets_(targets),
      fold_(fold),
      means_(column_means(targets, fold.train)),
      explained_by_(static_cast<std::size_t>(targets.cols()), all) {
    const auto is_zero = [&](Eigen::Index j) {
        const auto in_all_rows = [&](const auto& is_so) {
            return std::all_of(fold.train.begin(), fold.train.end(),
                               [&](Eigen::Index row) { return is_so(targets(row, j)); });
        };
        return in_all_rows([&](double y) { return std::abs(y - means_(j)) < pls_vanished; }) ||
               in_all_rows([&](double y) { return y == targets(fold.train.front(), j); });
    };
    for (Eigen::Index j = 0; j < targets.cols(); ++j)
        if (is_zero(j)) clear(j, 0);
}

Vector PlsTargets::column(Eigen::Index j) const {
    Vector y(static_cast<Eigen::Index>(fold_.train.size()));
    for (std::size_t i = 0; i < fold_.train.size(); ++i)
        y(static_cast<Eigen::Index>(i)) = targets_(fold_.train[i], j) - means_(j);
    return y;
}

Vector PlsTargets::deflated(Eigen::Index j, const PlsScores& scores) const {
    Vector y = column(j);
    scores.project_out(y);
    return y;
}

std::optional<PlsTargets::Start> PlsTargets::find_start(const PlsScores& scores) {
    for (; first_alive_ < targets_.cols(); ++first_alive_) {
        if (vanished(first_alive_)) continue;
        Vector y = deflated(first_alive_, scores);
        if (!has_vanished(as_span(y))) return Start{first_alive_, std::move(y)};
    }
    return std::nullopt;
}

std::optional<Eigen::Index> PlsTargets::find_target(
    const PlsScores& scores, const std::function<bool(Eigen::Index)>& surely_alive) {
    if (first_alive_ < targets_.cols() && !vanished(first_alive_) && surely_alive(first_alive_))
        return first_alive_;
    const auto start = find_start(scores);
    return start ? std::optional(start->target) : std::nullopt;
}

void PlsTargets::for_each_block(
    const std::function<void(Eigen::Index first, Matrix& block)>& use) const {
    for (Eigen::Index first = 0; first < targets_.cols(); first += target_block) {
        const Eigen::Index count = std::min(target_block, targets_.cols() - first);
        Matrix block = centred_rows(targets_.middleCols(first, count), fold_.train,
                                    means_.segment(first, count));
        use(first, block);
    }
}

Matrix PlsTargets::loadings(const PlsScores& scores) const {
    const Matrix t = side_by_side(scores.vectors, 0, static_cast<Eigen::Index>(fold_.train.size()));
    Matrix loadings(targets_.cols(), t.cols());
    for_each_block([&](Eigen::Index first, const Matrix& block) {
        loadings.middleRows(first, block.cols()) = multiply_transposed(block, t);
    });
    // The scores are orthogonal but for their rounding, which may be much beside one that is small:
    // what earlier components have taken out of Y comes off, as the deflated Y would have it.
    const Matrix overlaps = multiply_transposed(t, t);
    for (Eigen::Index k = 0; k < t.cols(); ++k) {
        loadings.col(k) -= multiply(loadings.leftCols(k), overlaps.col(k).head(k));
        loadings.col(k) /= scores.squares[static_cast<std::size_t>(k)];
    }
    for (Eigen::Index j = 0; j < loadings.rows(); ++j)
        if (vanished(j)) {
            const auto kept = static_cast<Eigen::Index>(explained_by_[static_cast<std::size_t>(j)]);
            loadings.row(j).tail(loadings.cols() - kept).setZero();
        }
    return loadings;
}

Matrix reduce_targets(const Matrix& targets, std::span<const FoldRows> folds,
                      core::Workers& workers) {
    const auto rows = rows_in_use(targets.rows(), folds);
    const Matrix reduced = reduce_features(
        {rows.size(), static_cast<std::size_t>(targets.cols()), slabs_of_columns(targets, rows)},
        workers);
    Matrix z = Matrix::Zero(targets.rows(), reduced.cols());
    for (std::size_t i = 0; i < rows.size(); ++i)
        z.row(rows[i]) = reduced.row(static_cast<Eigen::Index>(i));
    return z;
}

}  // namespace ventral::stats

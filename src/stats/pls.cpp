#include "stats/pls.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "stats/linear_algebra.hpp"
#include "stats/pls_fold.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index row_tile = 512;    // of K · targets, whose bits depend on it
constexpr Eigen::Index score_tile = 128;  // of K · scores

/// K · block, K being symmetric, in row tiles that are tasks of their own.
Matrix kernel_times(const MatrixView& kernel, const Matrix& block, core::Workers& workers) {
    Matrix out(kernel.rows(), block.cols());
    const auto tiles = static_cast<std::size_t>((kernel.rows() + score_tile - 1) / score_tile);
    workers.parallel_for(tiles, [&](std::size_t tile) {
        const Eigen::Index first = static_cast<Eigen::Index>(tile) * score_tile;
        dot_columns(kernel, block, first, std::min(score_tile, kernel.rows() - first), out);
    });
    return out;
}

/// K · (targets − their means): the part of every fold's K Y that the folds have in common.
Matrix kernel_times_targets(const Problem& problem, const Matrix& centred_targets,
                            core::Workers& workers) {
    const auto& kernel = problem.kernel;
    Matrix out(kernel.rows(), centred_targets.cols());
    const auto tiles = static_cast<std::size_t>((kernel.rows() + row_tile - 1) / row_tile);
    workers.parallel_for(tiles, [&](std::size_t tile) {
        const Eigen::Index first = static_cast<Eigen::Index>(tile) * row_tile;
        const Eigen::Index count = std::min(row_tile, kernel.rows() - first);
        out.middleRows(first, count) =
            multiply_transposed(kernel.middleCols(first, count), centred_targets);
    });
    return out;
}

Matrix centre_over_all_rows(const Matrix& targets) {
    Matrix centred = targets;
    for (Eigen::Index j = 0; j < centred.cols(); ++j)
        centred.col(j).array() -= sum(column(targets, j)) / static_cast<double>(targets.rows());
    return centred;
}

}  // namespace

void check_pls(std::size_t features, const FoldRows& fold, std::size_t n_components) {
    if (n_components > features)
        throw core::InputError("pls: n_components = " + std::to_string(n_components) +
                               " exceeds the " + std::to_string(features) +
                               " features; set fewer n_components");
    if (fold.train.size() < 2) throw core::InputError("pls: a fold has fewer than two train rows");
}

std::vector<PlsFold> pls_predict(const Problem& problem, std::span<const FoldRows> folds,
                                 std::size_t n_components, core::Workers& workers) {
    for (const auto& fold : folds) check_pls(problem.features, fold, n_components);
    const Matrix centred = centre_over_all_rows(problem.targets);
    const Matrix kernel_targets = kernel_times_targets(problem, centred, workers);

    std::vector<PlsIteration> iterations(folds.size());
    workers.parallel_for(folds.size(), [&](std::size_t f) {
        iterations[f] = PlsIteration(problem, folds[f], centred, kernel_targets);
    });
    Matrix scores = Matrix::Zero(problem.kernel.rows(), static_cast<Eigen::Index>(folds.size()));
    for (std::size_t k = 0; k < n_components; ++k) {
        workers.parallel_for(folds.size(), [&](std::size_t f) {
            scores.col(static_cast<Eigen::Index>(f)) = iterations[f].next_component();
        });
        const Matrix kernel_scores = kernel_times(problem.kernel, scores, workers);
        workers.parallel_for(folds.size(), [&](std::size_t f) {
            iterations[f].deflate(kernel_scores.col(static_cast<Eigen::Index>(f)));
        });
    }
    std::vector<PlsFold> fits(folds.size());
    workers.parallel_for(folds.size(),
                         [&](std::size_t f) { fits[f] = iterations[f].predict(problem); });
    return fits;
}

}  // namespace ventral::stats

#include "stats/pls.hpp"

#include <algorithm>
#include <memory>

#include "core/errors.hpp"
#include "stats/blocks.hpp"
#include "stats/linear_algebra.hpp"
#include "stats/pls_fold.hpp"
#include "stats/symmetric_product.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index row_tile = 512;    // of K · targets, whose bits depend on it
constexpr Eigen::Index score_tile = 128;  // of K · scores
constexpr Eigen::Index target_tile = 32;  // of targetsᵀ · scores
constexpr Eigen::Index most_vectors = 8;  // that `dot_columns` takes

std::size_t tiles_of(Eigen::Index size, Eigen::Index tile) {
    return static_cast<std::size_t>((size + tile - 1) / tile);
}

/// K · block, K being symmetric: the tiles of K's columns are tasks, and what they give is added up
/// in their order. Keeps its memory from call to call.
class KernelProduct {
public:
    KernelProduct(const MatrixView& kernel, core::Workers& workers)
        : kernel_(kernel), workers_(workers), parts_(tiles_of(kernel.cols(), score_tile)) {}

    void multiply(const Eigen::Ref<const Matrix>& block) {
        workers_.parallel_for(parts_.size(), [&](std::size_t tile) { add_tile(tile, block); });
    }

    /// K times column `f` of the last block.
    Vector column(Eigen::Index f) const {
        Vector out = Vector::Zero(kernel_.rows());
        for (std::size_t tile = 0; tile < parts_.size(); ++tile) {
            const Eigen::Index below = out.size() - first_of(tile);
            out.tail(below) += parts_[tile].col(f).tail(below);
        }
        return out;
    }

private:
    static Eigen::Index first_of(std::size_t tile) {
        return static_cast<Eigen::Index>(tile) * score_tile;
    }

    void add_tile(std::size_t tile, const Eigen::Ref<const Matrix>& block) {
        const Eigen::Index first = first_of(tile);
        const Eigen::Index below = kernel_.rows() - first;
        parts_[tile].resize(kernel_.rows(), block.cols());
        parts_[tile].bottomRows(below).setZero();
        add_symmetric_part(kernel_, block, first, std::min(score_tile, below), parts_[tile]);
    }

    const MatrixView& kernel_;
    core::Workers& workers_;
    std::vector<Matrix> parts_;
};

/// K · targets: the part of every fold's K Y that the folds have in common.
Matrix kernel_times_targets(const MatrixView& kernel, const Matrix& targets,
                            core::Workers& workers) {
    Matrix out(kernel.rows(), targets.cols());
    workers.parallel_for(tiles_of(kernel.rows(), row_tile), [&](std::size_t tile) {
        const Eigen::Index first = static_cast<Eigen::Index>(tile) * row_tile;
        const Eigen::Index count = std::min(row_tile, kernel.rows() - first);
        out.middleRows(first, count) =
            multiply_transposed(kernel.middleCols(first, count), targets);
    });
    return out;
}

Matrix centre_over_all_rows(const Matrix& targets) {
    Matrix centred = targets;
    for (Eigen::Index j = 0; j < centred.cols(); ++j)
        centred.col(j).array() -= sum(column(targets, j)) / static_cast<double>(targets.rows());
    return centred;
}

/// What the form of a fold and the numbers in it may depend on, whichever folds come with it.
std::span<const FoldRows> all_folds_of(const Problem& problem, std::span<const FoldRows> folds) {
    return problem.all_folds.empty() ? folds : problem.all_folds;
}

/// What the folds share, made by the workers.
PlsProblem share(PlsTargetForm form, const Problem& problem, std::span<const FoldRows> folds,
                 std::size_t n_components, core::Workers& workers) {
    PlsProblem shared{problem, n_components, form, {}, {}, {}};
    shared.targets = form == PlsTargetForm::columns
                         ? centre_over_all_rows(problem.targets)
                         : reduce_targets(problem.targets, all_folds_of(problem, folds), workers);
    shared.kernel_targets = kernel_times_targets(problem.kernel, shared.targets, workers);
    KernelProduct kernel_times(problem.kernel, workers);
    kernel_times.multiply(Matrix::Ones(problem.kernel.rows(), 1));
    shared.kernel_sums = kernel_times.column(0);
    return shared;
}

/// targetsᵀ · vectors, of which a worker takes some targets with all vectors.
Matrix products_with(const Matrix& targets, const Matrix& vectors, core::Workers& workers) {
    Matrix products(targets.cols(), vectors.cols());
    const auto blocks = even_blocks(targets.cols(), target_tile);
    workers.parallel_for(blocks.size(), [&](std::size_t b) {
        for (Eigen::Index f = 0; f < vectors.cols(); f += most_vectors) {
            const Eigen::Index count = std::min(most_vectors, vectors.cols() - f);
            dot_columns(targets, vectors.middleCols(f, count), blocks[b].first, blocks[b].count,
                        products.middleCols(f, count));
        }
    });
    return products;
}

}  // namespace

PlsTargetForm pls_target_form(std::size_t train_rows, std::size_t targets) {
    return targets > train_rows ? PlsTargetForm::rows : PlsTargetForm::columns;
}

bool pls_prefers_features(std::size_t train_rows, std::size_t features, std::size_t targets) {
    return pls_target_form(train_rows, targets) == PlsTargetForm::rows && 2 * features < train_rows;
}

void check_pls(std::size_t features, const FoldRows& fold, std::size_t n_components) {
    if (n_components > features)
        throw core::InputError("pls: n_components = " + std::to_string(n_components) +
                               " exceeds the " + std::to_string(features) +
                               " features; set fewer n_components");
    if (fold.train.size() < 2) throw core::InputError("pls: a fold has fewer than two train rows");
}

std::vector<PlsFold> pls_predict(const Problem& problem, std::span<const FoldRows> folds,
                                 std::size_t n_components, core::Workers& workers) {
    std::size_t train_rows = 0;
    for (const auto& fold : all_folds_of(problem, folds))
        train_rows = std::max(train_rows, fold.train.size());
    const auto targets = static_cast<std::size_t>(problem.targets.cols());
    return pls_predict_as(pls_target_form(train_rows, targets), problem, folds, n_components,
                          workers);
}

std::vector<PlsFold> pls_predict_as(PlsTargetForm form, const Problem& problem,
                                    std::span<const FoldRows> folds, std::size_t n_components,
                                    core::Workers& workers) {
    for (const auto& fold : folds) check_pls(problem.features, fold, n_components);
    const PlsProblem shared = share(form, problem, folds, n_components, workers);
    std::vector<std::unique_ptr<PlsIteration>> iterations(folds.size());
    workers.parallel_for(folds.size(), [&](std::size_t f) {
        iterations[f] = std::make_unique<PlsIteration>(shared, folds[f]);
    });
    KernelProduct kernel_times(problem.kernel, workers);
    const auto count = static_cast<Eigen::Index>(folds.size());
    Matrix vectors(problem.kernel.rows(), 2 * count);  // scores t of each fold, then residuals r
    for (std::size_t k = 0; k < n_components; ++k) {
        workers.parallel_for(folds.size(), [&](std::size_t f) {
            vectors.col(static_cast<Eigen::Index>(f)) = iterations[f]->next_component();
        });
        kernel_times.multiply(vectors.leftCols(count));
        workers.parallel_for(folds.size(), [&](std::size_t f) {
            const auto column = static_cast<Eigen::Index>(f);
            vectors.col(count + column) = iterations[f]->residual(kernel_times.column(column));
        });
        const Matrix products = products_with(shared.targets, vectors, workers);
        workers.parallel_for(folds.size(), [&](std::size_t f) {
            const auto column = static_cast<Eigen::Index>(f);
            iterations[f]->take_out(products.col(column), products.col(count + column));
        });
    }
    std::vector<PlsFold> fits(folds.size());
    workers.parallel_for(folds.size(), [&](std::size_t f) { fits[f] = iterations[f]->predict(); });
    return fits;
}

}  // namespace ventral::stats

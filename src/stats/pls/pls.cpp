#include "stats/pls/pls.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"
#include "stats/linear_algebra/panel_product.hpp"
#include "stats/linear_algebra/symmetric_product.hpp"
#include "stats/pls/pls_fold.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index row_tile = 256;     // of K · targets, whose bits depend on it
constexpr Eigen::Index score_tile = 128;   // of K · scores
constexpr Eigen::Index target_tile = 32;   // of targetsᵀ · scores and Xᵀ · scores
constexpr Eigen::Index weight_tile = 256;  // rows of targets · weights and X · weights

std::size_t tiles_of(Eigen::Index size, Eigen::Index tile) {
    return static_cast<std::size_t>(core::ceil_divide(size, tile));
}

/// aᵀ · vectors, of which a worker takes some columns of `a` with all vectors.
Matrix transposed_product(const Eigen::Ref<const Matrix>& a,
                          const Eigen::Ref<const Matrix>& vectors, core::Workers& workers) {
    Matrix products(a.cols(), vectors.cols());
    for_blocks(a.cols(), target_tile, workers,
               [&](const Block& block) { multiply_columns(a, vectors, block, products); });
    return products;
}

/// a · weights, of which a worker takes some rows with all weights.
Matrix product(const Eigen::Ref<const Matrix>& a, const Matrix& weights, core::Workers& workers) {
    Matrix products(a.rows(), weights.cols());
    for_blocks(a.rows(), weight_tile, workers,
               [&](const Block& block) { multiply_rows(a, weights, block, products); });
    return products;
}

/// K · block, K being symmetric: two tiles of K's columns, the longest that is left and the
/// shortest, are a task, and what the tasks give is added up in their order. Keeps its memory from
/// call to call.
class HeldKernelProduct {
public:
    HeldKernelProduct(const MatrixView& kernel, core::Workers& workers)
        : kernel_(kernel),
          workers_(workers),
          tiles_(tiles_of(kernel.cols(), score_tile)),
          parts_((tiles_ + 1) / 2) {}

    void multiply(const Eigen::Ref<const Matrix>& block) {
        workers_.parallel_for(parts_.size(), [&](std::size_t part) {
            const Eigen::Index below = kernel_.rows() - first_of(part);
            parts_[part].resize(kernel_.rows(), block.cols());
            parts_[part].bottomRows(below).setZero();
            add_tile(part, block, parts_[part]);
            const std::size_t mirrored = tiles_ - 1 - part;
            if (mirrored != part) add_tile(mirrored, block, parts_[part]);
        });
    }

    /// K times column `f` of the last block.
    Vector column(Eigen::Index f) const {
        Vector out = Vector::Zero(kernel_.rows());
        for (std::size_t part = 0; part < parts_.size(); ++part) {
            const Eigen::Index below = out.size() - first_of(part);
            out.tail(below) += parts_[part].col(f).tail(below);
        }
        return out;
    }

private:
    static Eigen::Index first_of(std::size_t tile) {
        return static_cast<Eigen::Index>(tile) * score_tile;
    }

    void add_tile(std::size_t tile, const Eigen::Ref<const Matrix>& block, Matrix& part) {
        const Eigen::Index first = first_of(tile);
        const Eigen::Index count = std::min(score_tile, kernel_.rows() - first);
        add_symmetric_part(kernel_, block, {first, count}, part);
    }

    const MatrixView& kernel_;
    core::Workers& workers_;
    std::size_t tiles_;
    std::vector<Matrix> parts_;
};

/// K · block = X (Xᵀ · block).
class NarrowKernelProduct {
public:
    NarrowKernelProduct(const MatrixView& features, core::Workers& workers)
        : features_(features), workers_(workers) {}

    void multiply(const Eigen::Ref<const Matrix>& block) {
        product_ = product(features_, transposed_product(features_, block, workers_), workers_);
    }

    Vector column(Eigen::Index f) const { return product_.col(f); }

private:
    const MatrixView& features_;
    core::Workers& workers_;
    Matrix product_;
};

/// K · some vectors, of which a fold takes its own.
class KernelProduct {
public:
    KernelProduct(const Kernel& kernel, core::Workers& workers)
        : form_(kernel.is_held()
                    ? Form(std::in_place_type<HeldKernelProduct>, kernel.entries(), workers)
                    : Form(std::in_place_type<NarrowKernelProduct>, kernel.features(), workers)) {}

    void multiply(const Eigen::Ref<const Matrix>& block) {
        std::visit([&](auto& form) { form.multiply(block); }, form_);
    }
    /// K times column `f` of the last block.
    Vector column(Eigen::Index f) const {
        return std::visit([&](const auto& form) { return form.column(f); }, form_);
    }

private:
    using Form = std::variant<HeldKernelProduct, NarrowKernelProduct>;
    Form form_;
};

/// a · b, of which a worker takes some rows of `a` that are columns of `transposed`.
Matrix product_by_rows(const Eigen::Ref<const Matrix>& transposed, const Matrix& b,
                       core::Workers& workers) {
    Matrix out(transposed.cols(), b.cols());
    workers.parallel_for(tiles_of(out.rows(), row_tile), [&](std::size_t tile) {
        const Eigen::Index first = static_cast<Eigen::Index>(tile) * row_tile;
        const Eigen::Index count = std::min(row_tile, out.rows() - first);
        out.middleRows(first, count) = multiply_transposed(transposed.middleCols(first, count), b);
    });
    return out;
}

/// K · targets: the part of every fold's K Y that the folds have in common.
Matrix kernel_times_targets(const Kernel& kernel, const Matrix& targets, core::Workers& workers) {
    if (kernel.is_held()) return product_by_rows(kernel.entries(), targets, workers);
    const auto& features = kernel.features();
    const Matrix weights = product_by_rows(features, targets, workers);
    Matrix out(features.rows(), targets.cols());
    workers.parallel_for(tiles_of(out.rows(), row_tile), [&](std::size_t tile) {
        const Eigen::Index first = static_cast<Eigen::Index>(tile) * row_tile;
        const Eigen::Index count = std::min(row_tile, out.rows() - first);
        out.middleRows(first, count) = stats::multiply(features.middleRows(first, count), weights);
    });
    return out;
}

/// What the folds share, made by the workers.
PlsProblem share(PlsTargetForm form, const Problem& problem, std::span<const FoldRows> folds,
                 std::size_t n_components, core::Workers& workers) {
    PlsProblem shared{problem, n_components, form, {}, {}, {}, {}, {}, {}};
    const auto all_folds = all_folds_of(problem, folds);
    shared.in_use = Vector::Zero(problem.targets.rows());
    for (const auto row : rows_in_use(problem.targets.rows(), all_folds)) shared.in_use(row) = 1;
    shared.targets = form == PlsTargetForm::columns
                         ? centre_targets(problem.targets, all_folds, workers)
                         : reduce_targets(problem.targets, all_folds, workers);
    shared.kernel_targets = kernel_times_targets(problem.kernel, shared.targets, workers);
    KernelProduct kernel_times(problem.kernel, workers);
    kernel_times.multiply(shared.in_use);
    shared.kernel_sums = kernel_times.column(0);
    shared.kernel_diagonal = problem.kernel.diagonal();
    shared.products = products_of_targets(shared, workers);
    return shared;
}

/// All folds of a call, a component at a time.
class PlsFolds {
public:
    PlsFolds(const PlsProblem& shared, std::span<const FoldRows> folds, core::Workers& workers)
        : shared_(shared),
          workers_(workers),
          kernel_times_(shared.problem.kernel, workers),
          iterations_(folds.size()),
          count_(static_cast<Eigen::Index>(folds.size())),
          weights_(shared.targets.cols(), count_),
          directions_(shared.targets.rows(), count_),
          vectors_(shared.targets.rows(), 2 * count_) {
        workers.parallel_for(iterations_.size(), [&](std::size_t f) {
            iterations_[f] = std::make_unique<PlsIteration>(shared, folds[f]);
        });
    }

    void find_components() {
        for_each_fold(
            [&](PlsIteration& fold, Eigen::Index f) { weights_.col(f) = fold.next_weights(); });
        for (std::size_t k = 0; k < shared_.n_components; ++k) {
            find_scores();
            const Matrix products = transposed_product(shared_.targets, vectors_, workers_);
            const bool more = k + 1 < shared_.n_components;
            for_each_fold([&](PlsIteration& fold, Eigen::Index f) {
                fold.take_out(products.col(f), products.col(count_ + f));
                if (more) weights_.col(f) = fold.next_weights();
            });
        }
    }

    /// Positions of the folds that `PlsIteration::is_dwarfed` says no other may be fitted with.
    std::vector<std::size_t> dwarfed() const {
        std::vector<std::size_t> positions;
        for (std::size_t f = 0; f < iterations_.size(); ++f)
            if (iterations_[f]->is_dwarfed()) positions.push_back(f);
        return positions;
    }

    std::vector<PlsFold> predict() {
        std::vector<PlsFold> fits(iterations_.size());
        for_each_fold([&](PlsIteration& fold, Eigen::Index f) {
            fits[static_cast<std::size_t>(f)] = fold.predict();
        });
        return fits;
    }

private:
    template <typename Step>
    void for_each_fold(const Step& step) {
        workers_.parallel_for(iterations_.size(), [&](std::size_t f) {
            step(*iterations_[f], static_cast<Eigen::Index>(f));
        });
    }

    /// From the weights the scores t of each fold, and behind them the residuals r.
    void find_scores() {
        const Matrix weighted_targets = product(shared_.targets, weights_, workers_);
        for_each_fold([&](PlsIteration& fold, Eigen::Index f) {
            directions_.col(f) = fold.direction(weighted_targets.col(f));
        });
        kernel_times_.multiply(directions_);
        for_each_fold([&](PlsIteration& fold, Eigen::Index f) {
            vectors_.col(f) = fold.scores(kernel_times_.column(f));
        });
        kernel_times_.multiply(vectors_.leftCols(count_));
        for_each_fold([&](PlsIteration& fold, Eigen::Index f) {
            vectors_.col(count_ + f) = fold.residual(kernel_times_.column(f));
        });
    }

    const PlsProblem& shared_;
    core::Workers& workers_;
    KernelProduct kernel_times_;
    std::vector<std::unique_ptr<PlsIteration>> iterations_;
    Eigen::Index count_;
    Matrix weights_;
    Matrix directions_;
    Matrix vectors_;
};

struct FitTogether {
    std::vector<PlsFold> folds;
    std::vector<std::size_t> dwarfed;  ///< of which folds the left out rows dwarf: not fitted
};

FitTogether predict_together(PlsTargetForm form, const Problem& problem,
                             std::span<const FoldRows> folds, std::size_t n_components,
                             core::Workers& workers) {
    const PlsProblem shared = share(form, problem, folds, n_components, workers);
    PlsFolds all(shared, folds, workers);
    auto dwarfed = all.dwarfed();
    if (dwarfed.size() == folds.size())
        return {std::vector<PlsFold>(folds.size()), std::move(dwarfed)};
    all.find_components();
    return {all.predict(), std::move(dwarfed)};
}

}  // namespace

PlsTargetForm pls_target_form(std::size_t train_rows, std::size_t targets) {
    return targets > train_rows ? PlsTargetForm::rows : PlsTargetForm::columns;
}

bool pls_prefers_features(std::span<const FoldRows> folds, std::size_t features,
                          std::size_t targets) {
    return std::all_of(folds.begin(), folds.end(), [&](const FoldRows& fold) {
        return 2 * features < std::min(fold.train.size(), targets);
    });
}

std::size_t most_components(const FoldRows& fold) {
    return std::max<std::size_t>(fold.train.size(), 1) - 1;
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
    auto together = predict_together(form, problem, folds, n_components, workers);
    Problem alone = problem;
    for (const auto f : together.dwarfed) {  // by no others, once they are alone
        alone.all_folds = folds.subspan(f, 1);
        together.folds[f] =
            pls_predict_as(form, alone, alone.all_folds, n_components, workers).front();
    }
    return std::move(together.folds);
}

}  // namespace ventral::stats

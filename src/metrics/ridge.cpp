#include "metrics/ridge.hpp"

#include <utility>

#include "stats/ridge.hpp"
#include "stats/ridge_features.hpp"
#include "stats/ridge_folds.hpp"

namespace ventral::metrics {
namespace {

std::vector<FoldFit> fit_features(const stats::Problem& problem,
                                  std::span<const stats::FoldRows> folds, double alpha,
                                  core::Workers& workers) {
    const stats::Matrix& reduced = problem.reduced.matrix();
    std::vector<FoldFit> fits(folds.size());
    workers.parallel_for(folds.size(), [&](std::size_t f) {
        fits[f].prediction =
            stats::ridge_predict_features(reduced, problem.targets, folds[f], alpha);
        fits[f].route = features_route;
    });
    return fits;
}

/// One factorisation for all folds of the score, if they can share one and it pays.
bool share_factorisation(const stats::Problem& problem, std::span<const stats::FoldRows> folds) {
    const auto rows = problem.kernel.rows();
    return problem.features >= static_cast<std::size_t>(rows) &&
           stats::folds_complement(folds, rows) &&
           stats::one_factorisation_pays(folds, rows, problem.targets.cols());
}

}  // namespace

std::vector<FoldFit> fit_ridge(const stats::Problem& problem,
                               std::span<const stats::FoldRows> folds, const MetricOptions& options,
                               core::Workers& workers) {
    const auto rows = static_cast<std::size_t>(problem.kernel.rows());
    if (problem.features < rows && problem.reduced.available())
        return fit_features(problem, folds, options.alpha, workers);
    std::vector<FoldFit> fits(folds.size());
    const auto all_folds = problem.all_folds.empty() ? folds : problem.all_folds;
    if (share_factorisation(problem, all_folds)) {
        stats::SharedFits own;
        const auto& system =
            (problem.shared ? *problem.shared : own)
                .ridge.get(
                    [&] { return stats::RidgeSystem(problem, all_folds, options.alpha, workers); },
                    &workers);
        auto predictions = system.predict(folds, workers);
        for (std::size_t f = 0; f < folds.size(); ++f)
            fits[f].prediction = std::move(predictions[f]);
    } else {
        workers.parallel_for(folds.size(), [&](std::size_t f) {
            fits[f].prediction = stats::ridge_predict(problem, folds[f], options.alpha, workers);
        });
    }
    return fits;
}

}  // namespace ventral::metrics

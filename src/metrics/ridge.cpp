#include "metrics/ridge.hpp"

#include <algorithm>

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

/// Folds that one factorisation may serve. More than a group of them come only from callers that do
/// not go group by group; they get the same bits.
void fit_group(const stats::Problem& problem, std::span<const stats::FoldRows> folds, double alpha,
               core::Workers& workers, std::span<FoldFit> fits) {
    const auto rows = problem.kernel.rows();
    if (problem.features >= static_cast<std::size_t>(rows) &&
        stats::folds_complement(folds, rows) &&
        stats::one_factorisation_pays(folds, rows, problem.targets.cols())) {
        auto predictions = stats::ridge_predict_together(problem, folds, alpha, workers);
        for (std::size_t f = 0; f < folds.size(); ++f)
            fits[f].prediction = std::move(predictions[f]);
    } else {
        workers.parallel_for(folds.size(), [&](std::size_t f) {
            fits[f].prediction = stats::ridge_predict(problem, folds[f], alpha, workers);
        });
    }
}

}  // namespace

std::vector<FoldFit> fit_ridge(const stats::Problem& problem,
                               std::span<const stats::FoldRows> folds, const MetricOptions& options,
                               core::Workers& workers) {
    const auto rows = static_cast<std::size_t>(problem.kernel.rows());
    if (problem.features < rows && problem.reduced.available())
        return fit_features(problem, folds, options.alpha, workers);
    std::vector<FoldFit> fits(folds.size());
    for (std::size_t first = 0; first < folds.size(); first += fold_group) {
        const std::size_t count = std::min(fold_group, folds.size() - first);
        fit_group(problem, folds.subspan(first, count), options.alpha, workers,
                  std::span(fits).subspan(first, count));
    }
    return fits;
}

}  // namespace ventral::metrics

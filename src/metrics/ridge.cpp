#include "metrics/ridge.hpp"

#include "stats/ridge.hpp"
#include "stats/ridge_features.hpp"

namespace ventral::metrics {

std::vector<FoldFit> fit_ridge(const stats::Problem& problem,
                               std::span<const stats::FoldRows> folds, const MetricOptions& options,
                               core::Workers& workers) {
    std::vector<FoldFit> fits(folds.size());
    const auto rows = static_cast<std::size_t>(problem.kernel.rows());
    const stats::Matrix* reduced = nullptr;
    if (problem.features < rows && problem.reduced.available()) reduced = &problem.reduced.matrix();
    workers.parallel_for(folds.size(), [&](std::size_t f) {
        if (reduced) {
            fits[f].prediction =
                stats::ridge_predict_features(*reduced, problem.targets, folds[f], options.alpha);
            fits[f].route = features_route;
        } else {
            fits[f].prediction = stats::ridge_predict(problem, folds[f], options.alpha);
        }
    });
    return fits;
}

}  // namespace ventral::metrics

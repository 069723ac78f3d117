#include "metrics/ridge.hpp"

#include "stats/ridge.hpp"

namespace ventral::metrics {

std::vector<FoldFit> fit_ridge(const stats::Problem& problem,
                               std::span<const stats::FoldRows> folds, const MetricOptions& options,
                               core::Workers& workers) {
    std::vector<FoldFit> fits(folds.size());
    workers.parallel_for(folds.size(), [&](std::size_t f) {
        fits[f].prediction = stats::ridge_predict(problem, folds[f], options.alpha);
    });
    return fits;
}

}  // namespace ventral::metrics

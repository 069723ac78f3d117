#include "metrics/dual_ridge.hpp"

#include "metrics/ridge.hpp"

namespace ventral::metrics {

std::vector<FoldFit> fit_dual_ridge(const stats::Problem& problem,
                                    std::span<const stats::FoldRows> folds,
                                    const MetricOptions& options, core::Workers& workers) {
    return fit_ridge(problem, folds, options, workers);
}

}  // namespace ventral::metrics

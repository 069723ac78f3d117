#include "metrics/dual_ridge.hpp"

#include <algorithm>

#include "metrics/ridge.hpp"

namespace ventral::metrics {

stats::Problem for_dual_form(const stats::Problem& problem,
                             std::span<const stats::FoldRows> folds) {
    auto plain = problem;
    const auto is_wide = [&](const auto& fold) { return fold.train.size() < problem.features; };
    if (std::all_of(folds.begin(), folds.end(), is_wide)) plain.sums = {};
    return plain;
}

std::vector<FoldFit> fit_dual_ridge(const stats::Problem& problem,
                                    std::span<const stats::FoldRows> folds,
                                    const MetricOptions& options, core::Workers& workers) {
    return fit_ridge(for_dual_form(problem, folds), folds, options, workers);
}

}  // namespace ventral::metrics

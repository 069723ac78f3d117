#include "metrics/pls.hpp"

#include "stats/pls.hpp"

namespace ventral::metrics {

std::vector<FoldFit> fit_pls(const stats::Problem& problem, std::span<const stats::FoldRows> folds,
                             const MetricOptions& options, core::Workers& workers) {
    std::vector<FoldFit> fits;
    for (auto& fold : stats::pls_predict(problem, folds, options.n_components, workers))
        fits.push_back({std::move(fold.prediction), {fold.stop_margin, fold.guard}});
    return fits;
}

}  // namespace ventral::metrics

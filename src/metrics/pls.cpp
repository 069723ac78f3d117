#include "metrics/pls.hpp"

#include "stats/pls.hpp"
#include "stats/pls_features.hpp"

namespace ventral::metrics {

std::vector<FoldFit> fit_pls(const stats::Problem& problem, std::span<const stats::FoldRows> folds,
                             const MetricOptions& options, core::Workers& workers) {
    std::vector<FoldFit> fits;
    std::vector<std::size_t> lossy;
    for (auto& fold : stats::pls_predict(problem, folds, options.n_components, workers)) {
        if (!(fold.guard <= stats::pls_guard_limit)) lossy.push_back(fits.size());
        fits.push_back({std::move(fold.prediction), {fold.stop_margin, fold.guard}, gram_route});
    }
    if (lossy.empty() || !problem.reduced.available()) return fits;
    const stats::Matrix& reduced = problem.reduced.matrix();
    workers.parallel_for(lossy.size(), [&](std::size_t i) {
        FoldFit& fit = fits[lossy[i]];
        auto again = stats::pls_predict_features(reduced, problem.targets, problem.features,
                                                 folds[lossy[i]], options.n_components);
        fit.prediction = std::move(again.prediction);
        fit.margins.pls_stop = again.stop_margin;
        fit.route = both_routes;
    });
    return fits;
}

}  // namespace ventral::metrics

#include "metrics/pls.hpp"

#include <cmath>
#include <limits>

#include "stats/pls/pls.hpp"
#include "stats/pls/pls_features.hpp"

namespace ventral::metrics {
namespace {

/// So few digits of some component are left that the reference's hang on rounding too.
constexpr double used_up = 1e-4;

/// The guard is infinite if the components use up the features.
FoldFit fit_features(const stats::Problem& problem, const stats::Matrix& reduced,
                     const stats::FoldRows& fold, std::size_t n_components) {
    auto fit =
        stats::pls_predict_features(reduced, problem.targets, problem.features, fold, n_components);
    const double guard = fit.guard < used_up ? fit.guard : std::numeric_limits<double>::infinity();
    return {
        std::move(fit.prediction), {.pls_stop = fit.stop_margin, .guard = guard}, features_route};
}

}  // namespace

bool fits_pls_on_features(const MetricOptions& options, std::span<const stats::FoldRows> folds,
                          std::size_t features, Eigen::Index targets) {
    return !options.gram_only &&
           stats::pls_prefers_features(folds, features, static_cast<std::size_t>(targets));
}

std::vector<FoldFit> fit_pls(const stats::Problem& problem, std::span<const stats::FoldRows> folds,
                             const MetricOptions& options, core::Workers& workers) {
    std::vector<FoldFit> fits;
    const bool may_take_features = problem.reduced.available() && !options.gram_only;
    if (may_take_features && fits_pls_on_features(options, stats::all_folds_of(problem, folds),
                                                  problem.features, problem.targets.cols())) {
        const stats::Matrix& reduced = problem.reduced.matrix();
        fits.resize(folds.size());
        workers.parallel_for(folds.size(), [&](std::size_t f) {
            fits[f] = fit_features(problem, reduced, folds[f], options.n_components);
        });
        return fits;
    }
    std::vector<std::size_t> lossy;
    for (auto& fold : stats::pls_predict(problem, folds, options.n_components, workers)) {
        if (!(fold.guard <= stats::guard_limit)) lossy.push_back(fits.size());
        fits.push_back({std::move(fold.prediction),
                        {.pls_stop = fold.stop_margin, .guard = fold.guard},
                        gram_route});
    }
    if (lossy.empty() || !may_take_features) return fits;
    const stats::Matrix& reduced = problem.reduced.matrix();
    workers.parallel_for(lossy.size(), [&](std::size_t i) {
        FoldFit& fit = fits[lossy[i]];
        auto again = fit_features(problem, reduced, folds[lossy[i]], options.n_components);
        if (std::isfinite(again.margins.guard))
            again.margins.guard = fit.margins.guard;  // why it was done again
        again.route = both_routes;
        fit = std::move(again);
    });
    return fits;
}

}  // namespace ventral::metrics

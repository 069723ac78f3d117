#include "metrics/ridgecv.hpp"

#include "metrics/dual_ridge.hpp"
#include "stats/regression/ridge_cv.hpp"

namespace ventral::metrics {
namespace {

FoldFit fit_fold(const stats::Problem& problem, const stats::FoldRows& fold,
                 const MetricOptions& options, core::Workers& workers) {
    const auto fit_features = [&](const std::vector<double>& alphas) {
        return stats::ridge_cv_predict_features(problem.reduced.matrix(), problem.targets, fold,
                                                alphas, workers, problem.sums);
    };
    const auto& alphas = options.alphas.empty() ? stats::alpha_list() : options.alphas;
    const bool at_hand = problem.reduced.available();
    const bool few = at_hand && fold.train.size() > problem.features;
    auto found =
        few ? fit_features(alphas) : stats::ridge_cv_predict(problem, fold, alphas, workers);
    FoldFit fit;
    fit.margins.alpha_gap = found.alpha_gap;
    fit.margins.guard = found.guard;
    fit.route = few ? features_route : gram_route;
    fit.alpha = found.alpha;
    if (!(found.guard <= stats::guard_limit) && at_hand && !options.gram_only) {
        // The alpha stays: the reference chooses it by a Gram too.
        found = fit_features({found.alpha});
        fit.route = both_routes;
    }
    fit.prediction = std::move(found.prediction);
    return fit;
}

}  // namespace

std::vector<FoldFit> fit_ridgecv(const stats::Problem& problem,
                                 std::span<const stats::FoldRows> folds,
                                 const MetricOptions& options, core::Workers& workers) {
    std::vector<FoldFit> fits;
    for (const auto& fold : folds) fits.push_back(fit_fold(problem, fold, options, workers));
    return fits;
}

std::vector<FoldFit> fit_dual_ridgecv(const stats::Problem& problem,
                                      std::span<const stats::FoldRows> folds,
                                      const MetricOptions& options, core::Workers& workers) {
    return fit_ridgecv(for_dual_form(problem, folds), folds, options, workers);
}

}  // namespace ventral::metrics

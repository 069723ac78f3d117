#include "metrics/ridgecv.hpp"

#include "metrics/dual_ridge.hpp"
#include "stats/ridge_cv.hpp"

namespace ventral::metrics {
namespace {

FoldFit fit_fold(const stats::Problem& problem, const stats::FoldRows& fold,
                 const std::vector<double>& alphas, core::Workers& workers) {
    const bool features = fold.train.size() > problem.features && problem.reduced.available();
    auto found = features
                     ? stats::ridge_cv_predict_features(problem.reduced.matrix(), problem.targets,
                                                        fold, alphas, workers, problem.sums)
                     : stats::ridge_cv_predict(problem, fold, alphas, workers);
    FoldFit fit;
    fit.prediction = std::move(found.prediction);
    fit.margins.alpha_gap = found.alpha_gap;
    fit.route = features ? features_route : gram_route;
    fit.alpha = found.alpha;
    return fit;
}

}  // namespace

std::vector<FoldFit> fit_ridgecv(const stats::Problem& problem,
                                 std::span<const stats::FoldRows> folds,
                                 const MetricOptions& options, core::Workers& workers) {
    const auto& alphas = options.alphas.empty() ? stats::alpha_list() : options.alphas;
    std::vector<FoldFit> fits;
    for (const auto& fold : folds) fits.push_back(fit_fold(problem, fold, alphas, workers));
    return fits;
}

std::vector<FoldFit> fit_dual_ridgecv(const stats::Problem& problem,
                                      std::span<const stats::FoldRows> folds,
                                      const MetricOptions& options, core::Workers& workers) {
    return fit_ridgecv(for_dual_form(problem, folds), folds, options, workers);
}

}  // namespace ventral::metrics

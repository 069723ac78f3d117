#include "metrics/cka.hpp"

#include "metrics/regression_fit.hpp"
#include "stats/similarity/cka.hpp"

namespace ventral::metrics {
namespace {

/// The folds one after the other: each is shared by all workers.
std::vector<FoldResult> score(const stats::Problem& problem, std::span<const stats::FoldRows> folds,
                              stats::CkaForm form, core::Workers& workers) {
    const bool keep_kernel = !stats::cka_prefers_targets(problem.targets);
    stats::Matrix kernel;
    if (keep_kernel) kernel = stats::target_kernel(problem.targets, workers);
    const auto targets = stats::view_of(kernel);
    std::vector<FoldResult> results;
    for (const auto& fold : folds) {
        const double value = keep_kernel
                                 ? stats::cka(problem.kernel, targets, fold.test, form, workers)
                                 : stats::cka_with_targets(problem.kernel, problem.targets,
                                                           fold.test, form, workers);
        results.push_back({{value}, {}, gram_route});
    }
    return results;
}

}  // namespace

std::vector<FoldResult> score_cka(const stats::Problem& problem,
                                  std::span<const stats::FoldRows> folds, const MetricOptions&,
                                  core::Workers& workers) {
    return score(problem, folds, stats::CkaForm::unbiased, workers);
}

std::vector<FoldResult> score_cka_biased(const stats::Problem& problem,
                                         std::span<const stats::FoldRows> folds,
                                         const MetricOptions&, core::Workers& workers) {
    return score(problem, folds, stats::CkaForm::biased, workers);
}

}  // namespace ventral::metrics

#include "metrics/rdm.hpp"

#include <algorithm>

#include "metrics/regression_fit.hpp"
#include "stats/ranks.hpp"
#include "stats/rdm.hpp"

namespace ventral::metrics {

std::vector<FoldResult> score_rdm(const stats::Problem& problem,
                                  std::span<const stats::FoldRows> folds,
                                  const MetricOptions& options, core::Workers& workers) {
    stats::Problem asked = problem;
    const auto rows = static_cast<std::size_t>(problem.kernel.rows());
    if (options.gram_only && !stats::has_few_features(rows, problem.features)) asked.read = {};
    const auto source = stats::feature_distances(asked, workers);
    const auto target = stats::recording_distances(problem.targets, workers);
    const auto ranks_of = [&](const stats::CorrelationDistances& distances,
                              const stats::FoldRows& fold) {
        return stats::average_ranks(stats::upper_triangle(distances, fold.test, workers), workers);
    };
    std::vector<FoldResult> results;
    // One fold after the other: the triangles and ranks of all would be a lot of memory.
    for (const auto& fold : folds) {
        const auto x = ranks_of(source.distances, fold);
        const auto y = ranks_of(target, fold);
        FoldResult result;
        result.r = {stats::rank_correlation(x.values, y.values, workers)};
        result.margins.rank_gap = std::min(x.gap, y.gap);
        result.margins.guard = source.distances.guard();
        result.route = source.form == stats::DistanceForm::gram ? gram_route : features_route;
        results.push_back(result);
    }
    return results;
}

}  // namespace ventral::metrics

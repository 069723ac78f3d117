#include "metrics/rdm.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "metrics/regression_fit.hpp"
#include "stats/ranks.hpp"
#include "stats/rdm.hpp"

namespace ventral::metrics {

namespace {

/// The fold's test rows in the order in which they were given.
std::vector<Eigen::Index> in_given_order(const stats::FoldRows& fold,
                                         const std::vector<Eigen::Index>& given_order) {
    auto rows = fold.test;
    std::sort(rows.begin(), rows.end());
    if (given_order.empty()) return rows;
    std::vector<Eigen::Index> given;
    for (const auto row : given_order)
        if (std::binary_search(rows.begin(), rows.end(), row)) given.push_back(row);
    return given;
}

/// Distances for one fold after the other. The reference correlates the test rows of each fold by
/// themselves, and ties are those of that call; where it cannot be made, one table of all rows
/// serves all folds.
class Distances {
public:
    Distances(const stats::Problem& problem, core::Workers& workers)
        : problem_(problem), workers_(workers) {}

    /// Valid until the next fold.
    const stats::FeatureDistances& of_features(const stats::FoldRows& fold) {
        if (problem_.read && has_call_of_its_own(fold, problem_.features))
            return own_features_.emplace(stats::FeatureDistances{
                stats::row_distances(rows(), problem_.features, problem_.read,
                                     in_given_order(fold, problem_.given_order), workers_),
                stats::DistanceForm::rows});
        if (!features_) features_.emplace(stats::feature_distances(problem_, workers_));
        return *features_;
    }
    const stats::CorrelationDistances& of_recordings(const stats::FoldRows& fold) {
        const auto neuroids = static_cast<std::size_t>(problem_.targets.cols());
        if (has_call_of_its_own(fold, neuroids))
            return own_recordings_.emplace(
                stats::recording_distances(problem_.targets, in_given_order(fold, {}), workers_));
        if (!recordings_)
            recordings_.emplace(stats::recording_distances(problem_.targets, {}, workers_));
        return *recordings_;
    }

private:
    std::size_t rows() const { return static_cast<std::size_t>(problem_.kernel.rows()); }
    bool has_call_of_its_own(const stats::FoldRows& fold, std::size_t features) const {
        return fold.test.size() < rows() &&
               stats::small_enough_for_numpy(fold.test.size(), features);
    }

    const stats::Problem& problem_;
    core::Workers& workers_;
    std::optional<stats::FeatureDistances> features_, own_features_;
    std::optional<stats::CorrelationDistances> recordings_, own_recordings_;
};

}  // namespace

std::vector<FoldResult> score_rdm(const stats::Problem& problem,
                                  std::span<const stats::FoldRows> folds,
                                  const MetricOptions& options, core::Workers& workers) {
    stats::Problem asked = problem;
    const auto rows = static_cast<std::size_t>(problem.kernel.rows());
    if (options.gram_only && !stats::has_few_features(rows, problem.features)) asked.read = {};
    Distances distances(asked, workers);
    const auto ranks_of = [&](const stats::CorrelationDistances& of_rows,
                              const stats::FoldRows& fold) {
        return stats::average_ranks(stats::upper_triangle(of_rows, fold.test, workers), workers);
    };
    std::vector<FoldResult> results;
    // One fold after the other: the triangles and ranks of all would be a lot of memory.
    for (const auto& fold : folds) {
        const auto& source = distances.of_features(fold);
        const auto x = ranks_of(source.distances, fold);
        const auto y = ranks_of(distances.of_recordings(fold), fold);
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

#include "metrics/rdm.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "metrics/regression_fit.hpp"
#include "stats/similarity/ranks.hpp"
#include "stats/similarity/rdm.hpp"

namespace ventral::metrics {
namespace {

/// The fold's test rows in the order in which all were given; sorted if that is empty.
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

/// Places of the fold's test rows among them, sorted.
std::vector<Eigen::Index> places_in_fold(const stats::FoldRows& fold) {
    const auto rows = in_given_order(fold, {});
    std::vector<Eigen::Index> places;
    for (const auto row : fold.test)
        places.push_back(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
    return places;
}

/// The dissimilarities of a fold's test rows.
struct Triangle {
    std::vector<double> values;
    double guard;
    stats::DistanceForm form;
};

/// Of one fold after the other. The reference correlates the test rows of each fold by themselves,
/// and ties are those of that call; where it cannot be made, one table of all rows serves all
/// folds.
class Triangles {
public:
    Triangles(const stats::Problem& problem, core::Workers& workers)
        : problem_(problem), workers_(workers) {}

    Triangle of_features(const stats::FoldRows& fold) {
        // Whether the features are at hand must not depend on what else needs them.
        const bool may_read = problem_.read && stats::has_few_features(rows(), problem_.features);
        if (may_read && has_call_of_its_own(fold, problem_.features))
            return own(fold,
                       stats::row_distances(rows(), problem_.features, problem_.read,
                                            in_given_order(fold, problem_.given_order), workers_));
        if (!features_) features_.emplace(stats::feature_distances(problem_, workers_));
        return part(features_->distances, fold.test, features_->form);
    }
    Triangle of_recordings(const stats::FoldRows& fold) {
        if (has_call_of_its_own(fold, static_cast<std::size_t>(problem_.targets.cols())))
            return own(fold, stats::recording_distances(problem_.targets, in_given_order(fold, {}),
                                                        workers_));
        if (!recordings_)
            recordings_.emplace(stats::recording_distances(problem_.targets, {}, workers_));
        return part(*recordings_, fold.test, stats::DistanceForm::rows);
    }

private:
    std::size_t rows() const { return static_cast<std::size_t>(problem_.kernel.rows()); }
    bool has_call_of_its_own(const stats::FoldRows& fold, std::size_t features) const {
        return fold.test.size() < rows() &&
               stats::small_enough_for_numpy(fold.test.size(), features);
    }
    Triangle own(const stats::FoldRows& fold, const stats::CorrelationDistances& distances) {
        return part(distances, places_in_fold(fold), stats::DistanceForm::rows);
    }
    Triangle part(const stats::CorrelationDistances& distances,
                  std::span<const Eigen::Index> places, stats::DistanceForm form) {
        return {stats::upper_triangle(distances, places, workers_), distances.guard(), form};
    }

    const stats::Problem& problem_;
    core::Workers& workers_;
    std::optional<stats::FeatureDistances> features_;
    std::optional<stats::CorrelationDistances> recordings_;
};

}  // namespace

std::vector<FoldResult> score_rdm(const stats::Problem& problem,
                                  std::span<const stats::FoldRows> folds,
                                  const MetricOptions& options, core::Workers& workers) {
    stats::Problem asked = problem;
    const auto rows = static_cast<std::size_t>(problem.kernel.rows());
    if (options.gram_only && !stats::has_few_features(rows, problem.features)) asked.read = {};
    Triangles triangles(asked, workers);
    std::vector<FoldResult> results;
    // One fold after the other: the triangles and ranks of all would be a lot of memory.
    for (const auto& fold : folds) {
        auto source = triangles.of_features(fold);
        const auto x = stats::average_ranks(std::move(source.values), workers);
        const auto y = stats::average_ranks(triangles.of_recordings(fold).values, workers);
        FoldResult result;
        result.r = {stats::rank_correlation(x.values, y.values, workers)};
        result.margins.rank_gap = std::min(x.gap, y.gap);
        result.margins.guard = source.guard;
        result.route = source.form == stats::DistanceForm::gram ? gram_route : features_route;
        results.push_back(result);
    }
    return results;
}

}  // namespace ventral::metrics

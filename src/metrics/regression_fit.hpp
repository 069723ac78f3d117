#pragma once
/// @file
/// What a regression has to offer to become a metric.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/workers.hpp"
#include "metrics/regression_plan.hpp"
#include "stats/gram/kernel.hpp"

namespace ventral::metrics {

/// What a metric may work on, each for the same features in the order of the plan's rows.
struct FeatureForms {
    stats::Kernel kernel;                 ///< their Gram, of any offset
    std::size_t features;                 ///< their number
    stats::ReducedFeatures reduced = {};  ///< themselves in a small matrix, if they are at hand
    stats::GramSums sums = {};            ///< what centring took from the Gram
    /// A reader of their columns, for one thread; empty if they are not at hand.
    std::function<stats::ReadSlab()> open = {};
    std::vector<Eigen::Index> given_order = {};  ///< see `stats::Problem`
};

/// Forms that a score was computed in, as `core::Score::route` names them.
inline constexpr const char* gram_route = "gram";
inline constexpr const char* features_route = "features";
/// Folds of both forms, or computed in the first and done again in the second.
inline constexpr const char* both_routes = "gram+features";

/// Predictions of a fold's test rows, in the target's column order.
struct FoldFit {
    stats::Matrix prediction;
    core::Margins margins;
    std::string route = gram_route;
    std::optional<double> alpha = {};  ///< the one that was chosen
};

/// The results of some folds of a plan; `problem` has the plan's rows and targets.
using FoldScorer = std::function<std::vector<FoldResult>(
    const RegressionPlan&, const stats::Problem&, std::span<const stats::FoldRows>,
    const MetricOptions&, core::Workers&)>;

using Regression = std::function<std::vector<FoldFit>(
    const stats::Problem&, std::span<const stats::FoldRows>, const MetricOptions&, core::Workers&)>;

/// The scorer of a regression: Pearson's r of each target column with its prediction, in the plan's
/// order.
FoldScorer correlated(Regression regression);

/// Keeps the narrower of both in `into`.
void merge_margins(core::Margins& into, const core::Margins& more);

/// The route of all folds together, of those of `into` and one more; an empty `into` is no fold.
void merge_route(std::string& into, const std::string& more);

/// Puts margins, route and warnings of the folds' results into the score.
void note_margins(core::Score& score, const core::Margins& margins, const std::string& route);

/// Warns of splits with fewer train rows than PLS is to have components. As scikit-learn 1.2.1
/// does, the fit goes on with the components that there are.
void warn_of_few_rows(const RegressionPlan& plan, const MetricOptions& options, core::Score& score);

/// `aggregate` of a table of results, with what both of the above say of the fits behind it.
core::Score score_of_fits(const RegressionPlan& plan, const MetricOptions& options,
                          std::span<const double> table, const core::Margins& margins,
                          const std::string& route);

}  // namespace ventral::metrics

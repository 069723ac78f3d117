#pragma once
/// @file
/// What a regression has to offer to become a metric, and the table of those there are.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/workers.hpp"
#include "metrics/regression_plan.hpp"

namespace ventral::metrics {

/// What a regression may work on, each for the same features in the order of the plan's rows.
struct FeatureForms {
    stats::MatrixView kernel;             ///< their Gram, of any offset
    std::size_t features;                 ///< their number
    stats::ReducedFeatures reduced = {};  ///< themselves in a small matrix, if they are at hand
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

using Regression = std::function<std::vector<FoldFit>(
    const stats::Problem&, std::span<const stats::FoldRows>, const MetricOptions&, core::Workers&)>;

enum class SplitForm { cross_validated, train_test };

/// A line of the table of metrics.
struct RegisteredMetric {
    std::string name;  ///< as Brain-Score registers it
    SplitForm form;
    int version;  ///< part of the key of every score
    Regression regression;
};

/// All metrics. The bare name ("pls") is the cross-validated form ("pls_cv").
const std::vector<RegisteredMetric>& registered_metrics();

/// Throws `core::InputError` that lists the names there are.
const RegisteredMetric& find_metric(const std::string& name);

/// Scores the folds [first, last) of the plan. May be called by a task of
/// `workers` only if `forms.reduced` is made without them.
std::vector<FoldResult> score_folds(const RegressionPlan& plan, const FeatureForms& forms,
                                    const MetricOptions& options,
                                    std::pair<std::size_t, std::size_t> range,
                                    core::Workers& workers);

/// Keeps the narrower of both in `into`.
void merge_margins(core::Margins& into, const core::Margins& more);

/// The route of all folds together, of those of `into` and one more; an empty `into` is no fold.
void merge_route(std::string& into, const std::string& more);

/// Puts margins, route and warnings of the folds' results into the score.
void note_margins(core::Score& score, const core::Margins& margins, const std::string& route);

}  // namespace ventral::metrics

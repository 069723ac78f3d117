#pragma once
/// @file
/// What a regression has to offer to become a metric, and the table of those there are.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/workers.hpp"
#include "metrics/regression_plan.hpp"

namespace ventral::metrics {

/// Predictions of a fold's test rows, in the target's column order.
struct FoldFit {
    stats::Matrix prediction;
    core::Margins margins;
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

/// Scores the folds [first, last) of the plan: `kernel` is the Gram of the features in the order of
/// the plan's rows, of any offset, `features` their number.
std::vector<FoldResult> score_folds(const RegressionPlan& plan, const stats::MatrixView& kernel,
                                    std::size_t features, const MetricOptions& options,
                                    std::pair<std::size_t, std::size_t> range,
                                    core::Workers& workers);

/// Keeps the narrower of both in `into`.
void merge_margins(core::Margins& into, const core::Margins& more);

/// Puts margins, route and warnings of the folds' results into the score.
void note_margins(core::Score& score, const core::Margins& margins);

}  // namespace ventral::metrics

#include "metrics/registered_metrics.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "metrics/cka.hpp"
#include "metrics/cross_validation.hpp"
#include "metrics/dual_ridge.hpp"
#include "metrics/find_named.hpp"
#include "metrics/fitted_targets.hpp"
#include "metrics/linear.hpp"
#include "metrics/neuron_to_neuron.hpp"
#include "metrics/plan_in_time.hpp"
#include "metrics/pls.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/rdm.hpp"
#include "metrics/ridge.hpp"
#include "metrics/ridgecv.hpp"
#include "stats/similarity/rdm.hpp"

namespace ventral::metrics {
namespace {

/// A line of a regression that is cross-validated; it has no name yet.
RegisteredMetric fitted(MetricFamily family, int version, const Regression& regression,
                        const std::string& parameter) {
    RegisteredMetric metric{"", family, MetricForm::cross_validated, version,
                            correlated(regression)};
    metric.parameter = parameter;
    return metric;
}

/// The lines of a regression: `NAME`, `NAME_cv` and `NAME_split`.
void add_regression(std::vector<RegisteredMetric>& metrics, const std::string& name,
                    RegisteredMetric metric, FeaturesNeeded needs = FeaturesNeeded::none) {
    metric.name = name;
    metric.needs = needs;
    metric.sorted_train = needs == FeaturesNeeded::columns;
    metrics.push_back(metric);
    metric.name = name + "_cv";
    metrics.push_back(metric);
    metric.name = name + "_split";
    metric.form = MetricForm::train_test;
    metrics.push_back(std::move(metric));
}

using Comparison = std::vector<FoldResult> (*)(const stats::Problem&,
                                               std::span<const stats::FoldRows>,
                                               const MetricOptions&, core::Workers&);

FoldScorer compared(Comparison compare) {
    return [compare](const RegressionPlan&, const stats::Problem& problem,
                     std::span<const stats::FoldRows> folds, const MetricOptions& options,
                     core::Workers& workers) { return compare(problem, folds, options, workers); };
}

/// The lines of a comparison: `NAME` of all presentations, `NAME_cv` of the test part of splits.
void add_comparison(std::vector<RegisteredMetric>& metrics, RegisteredMetric metric) {
    metrics.push_back(metric);
    metric.name += "_cv";
    metric.form = MetricForm::compared_parts;
    metrics.push_back(std::move(metric));
}

std::vector<RegisteredMetric> all_metrics() {
    std::vector<RegisteredMetric> metrics;
    using enum MetricFamily;
    const auto fitted_pls = fitted(pls, pls_version, fit_pls, "n_components");
    const auto fitted_ridge = fitted(ridge, ridge_version, fit_ridge, "alpha");
    add_regression(metrics, "pls", fitted_pls);
    add_regression(metrics, "ridge", fitted_ridge);
    add_regression(metrics, "linear_predictivity", fitted(linear, linear_version, fit_linear, ""),
                   FeaturesNeeded::reduced);
    add_regression(metrics, "neuron_to_neuron",
                   fitted(neuron_to_neuron, neuron_to_neuron_version, fit_neuron_to_neuron, ""),
                   FeaturesNeeded::columns);
    const auto add = [&](RegisteredMetric metric, const std::string& name, auto&& change) {
        metric.name = name;
        change(metric);
        metrics.push_back(std::move(metric));
    };
    const auto split = [](RegisteredMetric& metric) { metric.form = MetricForm::train_test; };
    add(fitted(ridge, ridgecv_version, fit_ridgecv, "alphas"), "ridgecv_split", split);
    add(fitted(ridge, dual_ridge_version, fit_dual_ridge, "alpha"), "dual_ridge_split", split);
    add(fitted(ridge, ridgecv_version, fit_dual_ridgecv, "alphas"), "dual_ridgecv_split", split);
    const auto scaled = [](RegisteredMetric& metric) {
        metric.scaled_targets = true;
        metric.version += scaling_version;
    };
    const auto reversed = [](RegisteredMetric& metric) { metric.reversed = true; };
    add(fitted_pls, "scaled_pls_cv", scaled);
    add(fitted_ridge, "scaled_ridge_cv", scaled);
    add(fitted_pls, "reverse_pls_cv", reversed);
    add(fitted_pls, "reverse_pls_split", [&](RegisteredMetric& metric) {
        reversed(metric);
        split(metric);
    });
    const auto in_time = [](TimeForm form) {
        return [form](RegisteredMetric& metric) {
            metric.time = form;
            metric.version += in_time_version;
        };
    };
    add(fitted_pls, "spantime_pls", in_time(TimeForm::spanned));
    add(fitted_ridge, "spantime_ridge", in_time(TimeForm::spanned));
    add(fitted_ridge, "pertime_ridge", in_time(TimeForm::apart));
    add_comparison(metrics, {"cka", cka, MetricForm::comparison, cka_version, compared(score_cka)});
    RegisteredMetric of_distances{"rdm", rdm, MetricForm::comparison, rdm_version,
                                  compared(score_rdm)};
    of_distances.needs = FeaturesNeeded::columns_if_few;
    add_comparison(metrics, std::move(of_distances));
    metrics.push_back({"cka_biased", cka, MetricForm::comparison, cka_biased_version,
                       compared(score_cka_biased)});
    return metrics;
}

}  // namespace

const std::vector<RegisteredMetric>& registered_metrics() {
    static const std::vector<RegisteredMetric> metrics = all_metrics();
    return metrics;
}

const RegisteredMetric& find_metric(const std::string& name) {
    return find_named(registered_metrics(), "metric", name);
}

bool has_neuroids(const RegisteredMetric& metric) {
    return metric.form == MetricForm::cross_validated || metric.form == MetricForm::train_test;
}

bool draws_splits(const RegisteredMetric& metric) {
    return metric.form == MetricForm::cross_validated || metric.form == MetricForm::compared_parts;
}

void complete_sizes(MetricOptions& options, const SaidSizes& said) {
    if (!said.train && !said.test) return;
    auto& split = options.cross_validation;
    const bool compares = find_metric(options.name).form == MetricForm::compared_parts;
    if (compares && !said.test && !split.test_size) split.test_size = default_part;
    const bool has_no_size = !split.train_size && !split.test_size;
    if (compares ? has_no_size : !said.train && !split.train_size) split.train_size = default_part;
}

bool contradicts_kfold(const MetricOptions& options) {
    const auto& metric = find_metric(options.name);
    const auto& split = options.cross_validation;
    const bool compares = metric.form == MetricForm::compared_parts;
    return draws_splits(metric) &&
           has_size_beside_kfold(compares ? of_compared_parts(split) : split);
}

bool takes(const RegisteredMetric& metric, const std::string& parameter) {
    static const std::set<std::string> of_splits{
        "splits", "kfold", "train_size", "test_size", "stratification", "unique_split_values"};
    return parameter == metric.parameter || (draws_splits(metric) && of_splits.contains(parameter));
}

std::string not_taken_text(const RegisteredMetric& metric, const std::string& parameter) {
    return "the metric '" + metric.name + "' takes no '" + parameter + "' (" +
           (metric.parameter.empty() ? "no parameter of a regression"
                                     : "its regression has '" + metric.parameter + "'") +
           ")";
}

bool is_taken(const std::string& parameter) {
    const auto& metrics = registered_metrics();
    return std::any_of(metrics.begin(), metrics.end(),
                       [&](const auto& metric) { return takes(metric, parameter); });
}

bool needs_gram(const RegisteredMetric& metric) { return metric.needs != FeaturesNeeded::columns; }

bool needs_columns(const RegisteredMetric& metric, std::size_t rows, std::size_t features) {
    return metric.needs == FeaturesNeeded::columns ||
           (metric.needs == FeaturesNeeded::columns_if_few &&
            stats::has_few_features(rows, features));
}

RegressionPlan plan_metric(const MetricOptions& options, const core::Assembly& target) {
    const auto& metric = find_metric(options.name);
    require_entries(target);
    RegressionPlan plan;
    if (metric.form == MetricForm::comparison)
        plan = plan_comparison(target);
    else if (metric.form == MetricForm::compared_parts)
        plan = plan_compared_parts(target, options.cross_validation);
    else if (metric.time == TimeForm::spanned)
        plan = plan_spanning_time(target, options.cross_validation);
    else
        plan = plan_cross_validated(target, options.cross_validation);
    if (metric.scaled_targets) scale_targets(plan);
    if (metric.sorted_train) sort_train_rows(target, plan);
    return plan;
}

RegressionPlan plan_still(const MetricOptions& options, const core::Assembly& target) {
    const auto time = find_metric(options.name).time;
    if (time == TimeForm::single) return plan_metric(options, target);
    require_entries(target);
    auto plan = plan_beside_in_time(target, options.cross_validation);
    if (time == TimeForm::spanned) average_over_time(plan);
    return plan;
}

std::vector<FoldResult> score_folds(const RegressionPlan& plan, const FeatureForms& forms,
                                    const MetricOptions& options, const FoldRange& range,
                                    core::Workers& workers) {
    const std::span<const stats::FoldRows> all(plan.folds);
    auto fitted = options;
    if (fits_averages(plan)) fitted.alpha /= static_cast<double>(plan.time_bins);
    const stats::Problem problem{.kernel = forms.kernel,
                                 .targets = fitted_targets(plan),
                                 .features = forms.features,
                                 .reduced = forms.reduced,
                                 .sums = forms.sums,
                                 .read = forms.open ? forms.open() : stats::ReadSlab{},
                                 .given_order = forms.given_order,
                                 .all_folds = all,
                                 .shared = range.shared};
    return find_metric(options.name)
        .score(plan, problem, all.subspan(range.first, range.last - range.first), fitted, workers);
}

}  // namespace ventral::metrics

#include "metrics/regression_fit.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "metrics/pls.hpp"
#include "metrics/ridge.hpp"
#include "stats/correlation.hpp"
#include "stats/pls.hpp"

namespace ventral::metrics {
namespace {

FoldResult correlate(const RegressionPlan& plan, const stats::FoldRows& fold, const FoldFit& fit) {
    const stats::Matrix measured = stats::rows_of(plan.targets, fold.test);
    const auto r = stats::pearson_columns(measured, fit.prediction);
    FoldResult result;
    result.margins = fit.margins;
    result.route = fit.route;
    for (const auto column : plan.neuroid_order) result.r.push_back(r[column]);
    return result;
}

}  // namespace

const std::vector<RegisteredMetric>& registered_metrics() {
    static const std::vector<RegisteredMetric> metrics = {
        {"pls", SplitForm::cross_validated, pls_version, fit_pls},
        {"pls_cv", SplitForm::cross_validated, pls_version, fit_pls},
        {"pls_split", SplitForm::train_test, pls_version, fit_pls},
        {"ridge", SplitForm::cross_validated, ridge_version, fit_ridge},
        {"ridge_cv", SplitForm::cross_validated, ridge_version, fit_ridge},
        {"ridge_split", SplitForm::train_test, ridge_version, fit_ridge},
    };
    return metrics;
}

const RegisteredMetric& find_metric(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& metric : registered_metrics()) {
        if (metric.name == name) return metric;
        names.push_back(metric.name);
    }
    std::string known;
    for (const auto& each : names) known += (known.empty() ? "" : ", ") + each;
    throw core::InputError("metric '" + name + "' is not supported (supported: " + known + ")" +
                           core::near_names(name, names));
}

std::vector<FoldResult> score_folds(const RegressionPlan& plan, const FeatureForms& forms,
                                    const MetricOptions& options,
                                    std::pair<std::size_t, std::size_t> range,
                                    core::Workers& workers) {
    const stats::Problem problem{forms.kernel, plan.targets, forms.features, forms.reduced};
    const std::span<const stats::FoldRows> folds(plan.folds.data() + range.first,
                                                 range.second - range.first);
    const auto fits = find_metric(options.name).regression(problem, folds, options, workers);
    std::vector<FoldResult> results;
    for (std::size_t f = 0; f < folds.size(); ++f)
        results.push_back(correlate(plan, folds[f], fits[f]));
    return results;
}

void merge_margins(core::Margins& into, const core::Margins& more) {
    into.pls_stop = std::min(into.pls_stop, more.pls_stop);
    into.guard = std::max(into.guard, more.guard);
}

void merge_route(std::string& into, const std::string& more) {
    if (into.empty())
        into = more;
    else if (into != more)
        into = both_routes;
}

void note_margins(core::Score& score, const core::Margins& margins, const std::string& route) {
    score.margins = margins;
    score.route = route;
    if (route == gram_route && margins.guard > stats::pls_guard_limit)
        score.warnings.push_back("the squared form may have lost digits of this score (guard " +
                                 core::number_text(margins.guard) + " > " +
                                 core::number_text(stats::pls_guard_limit) +
                                 "): some component has very little variance");
    if (route != gram_route && std::isinf(margins.guard))
        score.warnings.push_back(
            "the components use up the features (fewer train rows or features of lower rank than "
            "n_components): the reference itself is not reproducible here");
}

}  // namespace ventral::metrics

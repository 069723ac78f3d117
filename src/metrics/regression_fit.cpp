#include "metrics/regression_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/counted.hpp"
#include "core/number_text.hpp"
#include "metrics/registered_metrics.hpp"
#include "stats/folds/alike_rows.hpp"
#include "stats/folds/folds.hpp"
#include "stats/similarity/correlation.hpp"

namespace ventral::metrics {
namespace {

/// r per neuroid in the plan's order.
void correlate(const RegressionPlan& plan, const stats::Matrix& measured,
               const stats::Matrix& predicted, std::vector<double>& into) {
    const auto r = stats::pearson_columns(measured, predicted);
    for (const auto column : plan.neuroid_order) into.push_back(r[column]);
}

/// The responses of the rows that the fold tests, without stand-ins.
stats::Matrix measured_in(const RegressionPlan& plan, const stats::FoldRows& fold) {
    stats::Matrix measured = stats::rows_of(plan.targets, fold.test);
    if (plan.missing.empty()) return measured;
    std::map<Eigen::Index, Eigen::Index> place_of;
    for (const auto row : fold.test)
        place_of.emplace(row, static_cast<Eigen::Index>(place_of.size()));
    for (const auto& [row, column] : plan.missing)
        if (const auto place = place_of.find(row); place != place_of.end())
            measured(place->second, column) = std::numeric_limits<double>::quiet_NaN();
    return measured;
}

/// The same for each time bin.
void correlate_in_time(const RegressionPlan& plan, const stats::Matrix& measured,
                       const stats::Matrix& predicted, std::vector<double>& into) {
    const auto bins = static_cast<Eigen::Index>(plan.time_bins);
    const auto neuroids = static_cast<Eigen::Index>(plan.neuroids());
    const Eigen::Index rows = measured.rows() / bins;
    for (Eigen::Index bin = 0; bin < bins; ++bin) {
        const auto first = bin * neuroids;
        if (plan.time_layout == TimeLayout::below)
            correlate(plan, measured.middleRows(bin * rows, rows),
                      predicted.middleRows(bin * rows, rows), into);
        else
            correlate(plan, measured.middleCols(first, neuroids),
                      plan.time_layout == TimeLayout::beside ? predicted.middleCols(first, neuroids)
                                                             : predicted.leftCols(neuroids),
                      into);
    }
}

/// The test rows whose predictions are correlated together: all, or those of one time bin.
std::vector<stats::FoldRows> correlated_rows(const RegressionPlan& plan,
                                             const stats::FoldRows& fold) {
    if (plan.time_bins == 0 || plan.time_layout != TimeLayout::below) return {fold};
    const auto in_a_bin = static_cast<std::ptrdiff_t>(fold.test.size() / plan.time_bins);
    std::vector<stats::FoldRows> parts;
    for (auto first = fold.test.begin(); first != fold.test.end(); first += in_a_bin)
        parts.push_back({fold.train, {first, first + in_a_bin}});
    return parts;
}

/// Gives all test rows of one correlation the same prediction where no fit can tell them apart.
void unite_alike_rows(const RegressionPlan& plan, const stats::Problem& problem,
                      const stats::FoldRows& fold, FoldFit& fit) {
    Eigen::Index first = 0;
    for (const auto& part : correlated_rows(plan, fold)) {
        const auto count = static_cast<Eigen::Index>(part.test.size());
        if (stats::are_alike(problem.kernel, part))
            for (Eigen::Index row = first + 1; row < first + count; ++row)
                fit.prediction.row(row) = fit.prediction.row(first);
        first += count;
    }
}

FoldResult result_of(const RegressionPlan& plan, const stats::FoldRows& fold, const FoldFit& fit) {
    FoldResult result;
    result.margins = fit.margins;
    result.route = fit.route;
    result.alpha = fit.alpha;
    const stats::Matrix measured = measured_in(plan, fold);
    if (plan.time_bins > 0)
        correlate_in_time(plan, measured, fit.prediction, result.r);
    else
        correlate(plan, measured, fit.prediction, result.r);
    return result;
}

}  // namespace

FoldScorer correlated(Regression regression) {
    return [regression = std::move(regression)](
               const RegressionPlan& plan, const stats::Problem& problem,
               std::span<const stats::FoldRows> folds, const MetricOptions& options,
               core::Workers& workers) {
        auto fits = regression(problem, folds, options, workers);
        std::vector<FoldResult> results(folds.size());
        workers.parallel_for(folds.size(), [&](std::size_t f) {
            // Features themselves may differ by less than the Gram has digits for.
            if (fits[f].route == gram_route)
                stats::unite_equal_rows(problem.kernel, folds[f].test, fits[f].prediction);
            unite_alike_rows(plan, problem, folds[f], fits[f]);
            results[f] = result_of(plan, folds[f], fits[f]);
        });
        return results;
    };
}

void merge_margins(core::Margins& into, const core::Margins& more) {
    for (const auto& [name, margin, narrower] : core::named_margins)
        into.*margin = narrower == core::Narrower::smaller ? std::min(into.*margin, more.*margin)
                                                           : std::max(into.*margin, more.*margin);
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
    if (route == gram_route && margins.guard > stats::guard_limit)
        score.warnings.push_back(
            "the squared form may have lost digits of this score (guard " +
            core::number_text(margins.guard) + " > " + core::number_text(stats::guard_limit) +
            "): some component has very little variance, little was left to predict, or a stimulus "
            "or feature is far larger than the others");
    if (route != gram_route && std::isinf(margins.guard))
        score.warnings.push_back(
            "the components use up the features (fewer train rows or features of lower rank than "
            "n_components): the reference itself is not reproducible here");
}

void warn_of_few_rows(const RegressionPlan& plan, const MetricOptions& options,
                      core::Score& score) {
    if (plan.folds.empty() || !takes(find_metric(options.name), "n_components")) return;
    const auto least =
        std::min_element(plan.folds.begin(), plan.folds.end(), [](const auto& a, const auto& b) {
            return a.train.size() < b.train.size();
        })->train.size();
    if (least <= options.n_components)
        score.warnings.push_back(
            "n_components = " + std::to_string(options.n_components) + ", but a split trains on " +
            std::to_string(least) + " rows, which have at most " +
            core::counted(least - 1, "component") +
            " (of large targets, such as counts, the reference makes further ones from rounding "
            "and is not reproducible)");
}

/// The reference splits rows, not stimuli, unless it is told otherwise.
void warn_of_shared_stimuli(const RegressionPlan& plan, core::Score& score) {
    const auto& ids = plan.stimulus_ids;
    if (std::set<std::string_view>(ids.begin(), ids.end()).size() == ids.size()) return;
    const auto id = [&](Eigen::Index row) -> std::string_view {
        return ids[static_cast<std::size_t>(row)];
    };
    for (const auto& fold : plan.folds) {
        std::set<std::string_view> trained;
        for (const auto row : fold.train) trained.insert(id(row));
        const bool shares = std::any_of(fold.test.begin(), fold.test.end(),
                                        [&](auto row) { return trained.contains(id(row)); });
        if (!shares) continue;
        score.warnings.emplace_back(
            "stimuli have several rows, and splits test on stimuli that they train on: average "
            "the repetitions before, or keep them together with unique_split_values = true");
        return;
    }
}

core::Score score_of_fits(const RegressionPlan& plan, const MetricOptions& options,
                          std::span<const double> table, const core::Margins& margins,
                          const std::string& route) {
    auto score = aggregate(plan, table);
    note_margins(score, margins, route);
    warn_of_few_rows(plan, options, score);
    if (find_metric(options.name).form != MetricForm::train_test)
        warn_of_shared_stimuli(plan, score);
    return score;
}

}  // namespace ventral::metrics

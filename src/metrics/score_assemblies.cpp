#include "metrics/score_assemblies.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>

#include "core/allocator.hpp"
#include "core/byte_count.hpp"
#include "core/errors.hpp"
#include "core/seconds_since.hpp"
#include "metrics/cross_validation.hpp"
#include "metrics/feature_gram.hpp"
#include "metrics/feature_slabs.hpp"
#include "metrics/memory_plan.hpp"
#include "metrics/pairing.hpp"
#include "metrics/per_time.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/registered_metrics.hpp"
#include "metrics/time_bins.hpp"
#include "stats/regression/ridge_folds.hpp"

namespace ventral::metrics {
namespace {

class Stopwatch {
public:
    double seconds() const { return core::seconds_since(start_); }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Of a comparison, whose results need all of a fold's test rows.
bool tests_any(const stats::FoldRows& fold, const std::vector<char>& rows) {
    return std::any_of(fold.test.begin(), fold.test.end(),
                       [&](Eigen::Index row) { return rows[static_cast<std::size_t>(row)] != 0; });
}

/// Folds that test any of the rows `odd` have no results.
core::Score score_forms(const RegressionPlan& plan, const FeatureForms& forms,
                        const std::vector<char>& odd, const MetricOptions& options,
                        core::Workers& workers) {
    std::vector<double> table(plan.folds.size() * plan.columns());
    core::Margins margins;
    std::string route;
    std::optional<double> alpha;
    stats::SharedFits shared;
    const std::size_t together = folds_together(plan.stimulus_ids.size(), plan.neuroids());
    for (std::size_t first = 0; first < plan.folds.size(); first += together) {
        const std::size_t last = std::min(first + together, plan.folds.size());
        auto results = score_folds(plan, forms, options, {first, last, &shared}, workers);
        for (std::size_t f = 0; f < results.size(); ++f) {
            if (!odd.empty() && tests_any(plan.folds[first + f], odd)) {
                std::fill(results[f].r.begin(), results[f].r.end(),
                          std::numeric_limits<double>::quiet_NaN());
                results[f].margins = {};
            }
            std::copy(results[f].r.begin(), results[f].r.end(),
                      table.begin() + static_cast<std::ptrdiff_t>((first + f) * plan.columns()));
            merge_margins(margins, results[f].margins);
            merge_route(route, results[f].route);
            alpha = results[f].alpha;
        }
    }
    core::Score score = score_of_fits(plan, options, table, margins, route);
    if (plan.single_split && alpha) score.raw.attributes["alpha"] = *alpha;
    return score;
}

/// Sums over the sources, which are read one after the other into the same block.
template <typename Bytes>
std::size_t sum_over(const std::vector<FeaturePart>& parts, const Bytes& bytes) {
    std::size_t sum = 0;
    for (const auto& part : parts) sum += bytes(part.features);
    return sum;
}

bool compares(const RegisteredMetric& metric) {
    return metric.form == MetricForm::comparison || metric.form == MetricForm::compared_parts;
}

/// As the reference has it: regressions raise, comparisons are NaN, and a single feature that is
/// NaN correlates with nothing.
OddEntries odd_entries(const RegisteredMetric& metric) {
    if (compares(metric)) return OddEntries::zeroed;
    return needs_gram(metric) ? OddEntries::refused : OddEntries::kept;
}

/// Decides what is kept, and grants caches out of what is left.
Keep share_memory(const std::vector<FeaturePart>& parts, const RegressionPlan& plan,
                  const MetricOptions& options, const Resources& resources) {
    const auto& metric = find_metric(options.name);
    const Features& model = parts.front().features;
    const auto columns = [&](Keep keep) { return std::min(block_columns(keep), model.columns()); };
    const auto reading = [&](Keep keep) {
        return sum_over(parts, [&](const Features& f) { return f.reading_bytes(columns(keep)); });
    };
    const ProblemSize size{
        plan.stimulus_ids.size(),
        model.columns(),
        static_cast<std::size_t>(plan.targets.cols()),
        model.value_bytes(),
        fitting_bytes(plan, options, model.columns(), resources.workers.threads()),
        resources.held_bytes,
        odd_entries(metric) != OddEntries::kept,
        metric.needs != FeaturesNeeded::none};
    const Keep keep = what_to_keep(size, {reading(Keep::two_slabs), reading(Keep::two_long_blocks)},
                                   resources.memory_bytes);
    const auto wanted =
        sum_over(parts, [&](const Features& f) { return f.useful_cache(columns(keep)); });
    const double spare = resources.memory_bytes - memory_need(size, keep, reading(keep)).total();
    if (wanted > 0 && static_cast<double>(wanted) <= spare)
        for (const auto& part : parts)
            part.features.use_cache(part.features.useful_cache(columns(keep)));
    return keep;
}

/// `whole` runs since planning began.
TimedScore score_plan(const RegressionPlan& plan, std::vector<FeaturePart> parts,
                      const MetricOptions& options, const Resources& resources,
                      const Stopwatch& whole) {
    core::give_back_freed_memory();  // of reading and planning
    const double planning_s = whole.seconds();
    // What a block has is checked, with its place, when it is read; what is left is about the sum.
    const bool single = parts.size() == 1;
    const std::string place = single ? parts.front().features.place : "";
    const auto order = single ? given_order(parts.front().order) : std::vector<Eigen::Index>{};
    const auto& metric = find_metric(options.name);
    const Keep keep = share_memory(parts, plan, options, resources);
    const auto odd = odd_entries(metric);
    FeatureSlabs slabs(std::move(parts), keep, odd);
    std::optional<FeatureGram> gram;
    if (odd != OddEntries::kept)
        core::naming(place, [&] { gram.emplace(slabs, resources.workers); });
    const auto odd_rows = odd == OddEntries::zeroed ? slabs.odd_rows() : std::vector<char>{};
    TimedScore timed;
    const double waited_s = slabs.waited_s();
    timed.gram_s = whole.seconds() - waited_s - planning_s;
    const stats::ReadSlab read = [&](std::size_t first, std::size_t count) {
        return slabs.read(first, count);
    };
    FeatureForms forms{gram ? gram->kernel() : stats::Kernel(), slabs.features()};
    if (gram) {
        const auto reduce = [&] {
            return stats::reduce_features({slabs.rows(), slabs.features(), read},
                                          resources.workers);
        };
        forms.sums = gram->sums();
        forms.reduced =
            gram->features().value_or(stats::ReducedFeatures(reduce, resources.workers));
    }
    forms.open = [&] { return read; };
    forms.given_order = order;
    timed.score = score_forms(plan, forms, odd_rows, options, resources.workers);
    timed.read_s = slabs.waited_s();
    timed.fit_s = whole.seconds() - timed.gram_s - timed.read_s;
    return timed;
}

/// With what is held of the memory already.
Resources beside(const core::Assembly& held, Resources resources) {
    resources.held_bytes += static_cast<double>(core::byte_count(held));
    return resources;
}

/// Both files, as far as they are known.
std::string both(const std::string& first, const std::string& second) {
    return first.empty() || second.empty() ? first + second : first + " and " + second;
}

std::vector<std::string> stimulus_ids(const std::string& place, const core::Assembly& labels) {
    return core::naming(place, [&] { return core::texts(labels, "stimulus_id"); });
}

/// Throws `core::InputError` if the metric draws splits and the labels that count then differ.
void check_labels(const std::string& place, const core::Assembly& source,
                  const AssemblyOfFile& target, const MetricOptions& options) {
    if (!draws_splits(find_metric(options.name))) return;
    core::naming(both(place, target.place),
                 [&] { check_split_labels(source, target.assembly, options.cross_validation); });
}

FeaturePart paired(const Features& source, const AssemblyOfFile& target) {
    const auto source_ids = stimulus_ids(source.place, source.labels);
    const auto target_ids = stimulus_ids(target.place, target.assembly);
    return {source, core::naming(both(source.place, target.place),
                                 [&] { return pair_rows(source_ids, target_ids); })};
}

/// Throws `core::InputError` unless the metric, which it returns, is of the train-test form, or
/// not.
const RegisteredMetric& require_form(const MetricOptions& options, bool train_test) {
    const auto& metric = find_metric(options.name);
    if ((metric.form == MetricForm::train_test) == train_test) return metric;
    throw core::InputError("metric '" + options.name + "' needs " +
                           (train_test ? "one source and one target (--source, --target)"
                                       : "train and test assemblies (--source-train, "
                                         "--target-train, --source-test, --target-test)"));
}

/// Features that are in memory as a whole, with several time bins if the metric spans them.
TimedScore score_whole(const AssemblyOfFile& source, const AssemblyOfFile& target,
                       const MetricOptions& options, const Resources& resources) {
    const Stopwatch whole;
    const bool spans_time = find_metric(options.name).time == TimeForm::spanned;
    const auto table = core::naming(source.place, [&] {
        return spans_time ? time_bins_as_presentations(source.assembly)
                          : presentation_by_neuroid(source.assembly);
    });
    const auto plan =
        core::naming(target.place, [&] { return plan_metric(options, target.assembly); });
    const auto features = features_in_memory(table, source.place);
    const auto source_ids = stimulus_ids(source.place, table);
    auto order = core::naming(both(source.place, target.place),
                              [&] { return pair_rows(source_ids, plan.stimulus_ids); });
    check_labels(source.place, source.assembly, target, options);
    return score_plan(plan, {{features, std::move(order)}}, options,
                      beside(table, beside(source.assembly, beside(target.assembly, resources))),
                      whole);
}

SortedTimeBins time_bins_of_source(const AssemblyOfFile& source) {
    return core::naming(source.place, [&] {
        if (!core::has_dimension(source.assembly, "time_bin"))
            throw core::InputError(
                "no dimension 'time_bin' (of features that do not change in time only a benchmark "
                "takes the same for every bin) repeat them for each bin");
        return sorted_time_bins(source.assembly);
    });
}

/// One fit to all time bins, which the score has in the order of their start.
TimedScore score_spanned(const AssemblyOfFile& source, const AssemblyOfFile& target,
                         const MetricOptions& options, const Resources& resources) {
    time_bins_of_source(source);
    const auto order =
        core::naming(target.place, [&] { return sorted_time_bins(target.assembly).positions; });
    core::naming(both(source.place, target.place),
                 [&] { require_same_bins_in_order(source.assembly, target.assembly); });
    if (std::is_sorted(order.begin(), order.end()))
        return score_whole(source, target, options, resources);
    return score_whole({source.place, core::take(source.assembly, "time_bin", order)},
                       {target.place, core::take(target.assembly, "time_bin", order)}, options,
                       resources);
}

/// A fit and a score for each time bin.
TimedScore score_bins(const AssemblyOfFile& source, const AssemblyOfFile& target,
                      const MetricOptions& options, const Resources& resources) {
    const auto source_bins = time_bins_of_source(source);
    const auto target_bins =
        core::naming(target.place, [&] { return sorted_time_bins(target.assembly); });
    core::naming(both(source.place, target.place),
                 [&] { require_same_bin_starts(source_bins, target_bins); });
    TimedScore timed;
    timed.score = score_time_bins(target_bins, [&](std::size_t bin) {
        auto of_bin =
            score_whole({source.place, at_time_bin(source.assembly, source_bins.positions[bin])},
                        {target.place, at_time_bin(target.assembly, target_bins.positions[bin])},
                        options, beside(source.assembly, resources));
        timed.read_s += of_bin.read_s;
        timed.gram_s += of_bin.gram_s;
        timed.fit_s += of_bin.fit_s;
        return std::move(of_bin.score);
    });
    return timed;
}

}  // namespace

TimedScore score_features(const Features& source, const AssemblyOfFile& target,
                          const MetricOptions& options, const Resources& resources) {
    require_form(options, false);
    const Stopwatch whole;
    const auto plan =
        core::naming(target.place, [&] { return plan_metric(options, target.assembly); });
    auto part = paired(source, target);
    check_labels(source.place, source.labels, target, options);
    return score_plan(plan, {std::move(part)}, options, beside(target.assembly, resources), whole);
}

TimedScore score_train_test(const TrainTestFeatures& parts, const MetricOptions& options,
                            const Resources& resources) {
    const auto& metric = require_form(options, true);
    const Stopwatch whole;
    const auto plan = core::naming(both(parts.target_train.place, parts.target_test.place), [&] {
        auto both_sets = plan_train_test(parts.target_train.assembly, parts.target_test.assembly);
        if (metric.sorted_train) sort_train_rows(parts.target_train.assembly, both_sets);
        return both_sets;
    });
    return score_plan(
        plan,
        {paired(parts.source_train, parts.target_train),
         paired(parts.source_test, parts.target_test)},
        options, beside(parts.target_train.assembly, beside(parts.target_test.assembly, resources)),
        whole);
}

TimedScore score_assemblies(const AssemblyOfFile& source, const AssemblyOfFile& target,
                            const MetricOptions& options, const Resources& resources) {
    const auto& metric = require_form(options, false);
    if (metric.time == TimeForm::apart) return score_bins(source, target, options, resources);
    if (metric.time == TimeForm::spanned) return score_spanned(source, target, options, resources);
    if (metric.reversed) return score_whole(target, source, options, resources);
    return score_whole(source, target, options, resources);
}

TimedScore score_train_test(const TrainTestRecordings& parts, const MetricOptions& options,
                            const Resources& resources) {
    const bool reversed = require_form(options, true).reversed;
    const AssemblyOfFile& train = reversed ? parts.target_train : parts.source_train;
    const AssemblyOfFile& test = reversed ? parts.target_test : parts.source_test;
    const auto table_of = [](const AssemblyOfFile& recordings) {
        return core::naming(recordings.place,
                            [&] { return presentation_by_neuroid(recordings.assembly); });
    };
    const auto train_table = table_of(train);
    const auto test_table = table_of(test);
    return score_train_test(
        TrainTestFeatures{features_in_memory(train_table, train.place),
                          features_in_memory(test_table, test.place),
                          reversed ? parts.source_train : parts.target_train,
                          reversed ? parts.source_test : parts.target_test},
        options,
        beside(train.assembly,
               beside(test.assembly, beside(train_table, beside(test_table, resources)))));
}

}  // namespace ventral::metrics

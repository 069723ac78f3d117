#include "metrics/score_assemblies.hpp"

#include <algorithm>
#include <optional>

#include "core/errors.hpp"
#include "metrics/pairing.hpp"
#include "metrics/per_time.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/registered_metrics.hpp"
#include "metrics/time_bins.hpp"
#include "stats/gram.hpp"

namespace ventral::metrics {
namespace {

stats::FeatureMatrix features_of(const core::Assembly& table) {
    stats::FeatureMatrix features;
    features.rows = table.dims[0].size;
    features.features = table.dims[1].size;
    features.stride = features.features;
    if (const auto* floats = std::get_if<std::vector<float>>(&table.values))
        features.values = std::span<const float>(*floats);
    else if (const auto* doubles = std::get_if<std::vector<double>>(&table.values))
        features.values = std::span<const double>(*doubles);
    else
        throw core::InputError("the features are " + core::type_name(table.values) +
                               " (float32 or float64 is needed)");
    return features;
}

void check_not_empty(const stats::FeatureMatrix& features) {
    if (features.rows == 0 || features.features == 0)
        throw core::InputError("the model's features are empty");
}

core::Score score_plan(const RegressionPlan& plan, const core::Assembly& source,
                       const MetricOptions& options, core::Workers& workers) {
    const auto features = features_of(source);
    check_not_empty(features);
    const stats::ReadSlab read = [&](std::size_t first, std::size_t count) {
        return stats::columns_of(features, first, count);
    };
    std::vector<double> block(stats::gram_sizes(features.rows, features.features).total(), 0.0);
    const auto memory = stats::gram_memory(block, features.rows, features.features);
    stats::build_gram(features.rows, features.features, read, memory, workers, {});
    const auto n = static_cast<Eigen::Index>(features.rows);
    FeatureForms forms{{memory.kernel.data(), n, n}, features.features};
    forms.reduced = stats::ReducedFeatures([&] {
        return stats::reduce_features(features.rows, features.features, read, workers);
    });
    forms.sums = {memory.centred_times_mean, memory.row_sums, memory.row_extremes,
                  memory.mean_squared[0]};
    forms.open = [&] { return read; };

    std::vector<double> table(plan.folds.size() * plan.columns());
    std::optional<double> alpha;
    core::Margins margins;
    std::string route;
    for (std::size_t group = 0; group < plan.groups(); ++group) {
        const auto range = plan.group_range(group);
        const auto results = score_folds(plan, forms, options, range, workers);
        for (std::size_t f = 0; f < results.size(); ++f) {
            std::copy(
                results[f].r.begin(), results[f].r.end(),
                table.begin() + static_cast<std::ptrdiff_t>((range.first + f) * plan.columns()));
            merge_margins(margins, results[f].margins);
            merge_route(route, results[f].route);
            alpha = results[f].alpha;
        }
    }
    core::Score score = aggregate(plan, table);
    if (plan.single_split && alpha) score.raw.attributes["alpha"] = *alpha;
    note_margins(score, margins, route);
    return score;
}

core::Score score_forward(const core::Assembly& source, const core::Assembly& target,
                          const MetricOptions& options, core::Workers& workers) {
    const bool spans_time = find_metric(options.name).time == TimeForm::spanned;
    if (spans_time) check_equal_time_bins(source, target);
    const auto plan = plan_metric(options, target);
    const auto table =
        spans_time ? time_bins_as_presentations(source) : presentation_by_neuroid(source);
    const auto pairs = pair_rows(core::texts(table, "stimulus_id"), plan.stimulus_ids);
    return score_plan(plan, core::take(table, "presentation", pairs), options, workers);
}

/// A fit and a score for each time bin.
core::Score score_bins(const core::Assembly& source, const core::Assembly& target,
                       const MetricOptions& options, core::Workers& workers) {
    const auto source_bins = time_bins_of(source);
    const auto target_bins = time_bins_of(target);
    check_same_time_bins(source_bins, target_bins);
    return score_time_bins(target_bins, [&](std::size_t bin) {
        return score_forward(at_time_bin(source, source_bins.positions[bin]),
                             at_time_bin(target, target_bins.positions[bin]), options, workers);
    });
}

}  // namespace

core::Score score_assemblies(const core::Assembly& source, const core::Assembly& target,
                             const MetricOptions& options, core::Workers& workers) {
    const auto& metric = find_metric(options.name);
    if (metric.form == MetricForm::train_test)
        throw core::InputError("metric '" + options.name +
                               "' needs train and test assemblies (--source-train, --target-train, "
                               "--source-test, --target-test)");
    if (metric.time == TimeForm::apart) return score_bins(source, target, options, workers);
    return metric.reversed ? score_forward(target, source, options, workers)
                           : score_forward(source, target, options, workers);
}

core::Score score_train_test(const TrainTestAssemblies& parts, const MetricOptions& options,
                             core::Workers& workers) {
    const auto& metric = find_metric(options.name);
    if (metric.form != MetricForm::train_test)
        throw core::InputError("metric '" + options.name +
                               "' needs one source and one target (--source, --target)");
    const auto& [source_train, target_train, source_test, target_test] =
        metric.reversed ? TrainTestAssemblies{parts.target_train, parts.source_train,
                                              parts.target_test, parts.source_test}
                        : parts;
    const auto plan = plan_train_test(target_train, target_test);
    const auto matched = [](const core::Assembly& source, const core::Assembly& target) {
        const auto table = presentation_by_neuroid(source);
        const auto pairs =
            pair_rows(core::texts(table, "stimulus_id"), core::texts(target, "stimulus_id"));
        return core::take(table, "presentation", pairs);
    };
    const auto train = matched(source_train, target_train);
    const auto test = matched(source_test, target_test);
    return score_plan(plan, concatenate_presentations(train, test), options, workers);
}

}  // namespace ventral::metrics

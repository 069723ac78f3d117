#include "benchmarks/neural.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "benchmarks/chosen_time_bins.hpp"
#include "core/average_repetition.hpp"
#include "core/coordinates_along.hpp"
#include "core/dropna.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "core/time_bin.hpp"
#include "metrics/ceilings.hpp"
#include "metrics/normalisation.hpp"
#include "metrics/registered_metrics.hpp"

namespace ventral::benchmarks {
namespace {

bool takes_time(const BenchmarkRecord& benchmark) {
    return metrics::find_metric(benchmark.metric.name).time != metrics::TimeForm::single;
}

/// Whether it chooses time bins, or goes by them.
bool is_about_time(const BenchmarkRecord& benchmark) {
    return !benchmark.time_bins.empty() || takes_time(benchmark);
}

bool is_ceiling_per_time_bin(const BenchmarkRecord& benchmark) {
    const auto& ceiling = benchmark.ceiling;
    return !ceiling.is_none() && metrics::find_ceiling(ceiling.name).per_time_bin;
}

std::vector<std::string> metrics_in_time() {
    std::vector<std::string> names;
    for (const auto& metric : metrics::registered_metrics())
        if (metric.time != metrics::TimeForm::single) names.push_back(metric.name);
    return names;
}

bool is_named(const std::string& coordinate, const BenchmarkRecord& benchmark) {
    return std::any_of(benchmark.select.begin(), benchmark.select.end(),
                       [&](const auto& condition) { return condition.coordinate == coordinate; });
}

/// The labels that the benchmark chooses by, of recordings and of their stimuli: all of these may
/// be most of all memory. All, where one is not there, for the message that names what there is.
core::Assembly choosing_labels(const BenchmarkRecord& benchmark, const core::Assembly& labels,
                               const core::StimulusSet* stimuli) {
    core::Assembly choosing{labels.name, labels.dims, {}, {}, {}};
    for (const auto& each : labels.coordinates)
        if (is_named(each.name, benchmark) || each.name == "stimulus_id" || each.dim == "time_bin")
            choosing.coordinates.push_back(each);
    if (stimuli) {
        core::StimulusSet chosen{stimuli->identifier, stimuli->stimulus_ids, {}, {}, {}};
        for (const auto& column : stimuli->columns)
            if (is_named(column.name, benchmark)) chosen.columns.push_back(column);
        choosing = core::merge_stimulus_columns(choosing, chosen);
    }
    const auto has = [&](const std::string& name) {
        return core::find_coordinate(choosing, name) != nullptr;
    };
    const bool has_all =
        std::all_of(benchmark.select.begin(), benchmark.select.end(),
                    [&](const auto& condition) { return has(condition.coordinate); }) &&
        (!is_about_time(benchmark) || (has("time_bin_start") && has("time_bin_end")));
    if (has_all) return choosing;
    return stimuli ? core::merge_stimulus_columns(labels, *stimuli) : labels;
}

/// By the labels of recordings and of their stimuli, without values.
core::Positions positions_in(const BenchmarkRecord& benchmark, const core::Assembly& labels) {
    auto positions = core::naming(benchmark.origin + ": select",
                                  [&] { return core::matching(labels, benchmark.select); });
    for (const auto& value : core::values_without_entries(labels, benchmark.select))
        core::log_warning_once(benchmark.origin + ": select: no entry has " + value);
    if (!is_about_time(benchmark)) return positions;
    auto bins = time_bins_to_read(benchmark, core::take(labels, positions));
    if (!bins) return positions;
    const auto selected = positions.find("time_bin");
    if (selected != positions.end())
        for (auto& bin : *bins) bin = selected->second[bin];
    positions["time_bin"] = std::move(*bins);
    return positions;
}

/// That there are neuroids, with names where scores or ceilings go by them.
void check_neuroids_of(const BenchmarkRecord& benchmark, const core::Assembly& recordings) {
    if (!core::has_dimension(recordings, "neuroid")) {
        std::string dims;
        for (const auto& dim : recordings.dims) core::add_part(dims, dim.name);
        throw core::InputError(
            recordings.name + ": no dimension 'neuroid' (its dimensions: " + dims +
            ") recordings are presentation × neuroid, also of a single one, give "
            "the dimensions these names");
    }
    const bool compares_repetitions =
        !benchmark.ceiling.is_none() &&
        metrics::find_ceiling(benchmark.ceiling.name).least_repetitions > 1;
    if (metrics::has_neuroids(metrics::find_metric(benchmark.metric.name)) || compares_repetitions)
        core::coordinate(recordings, "neuroid_id");
}

/// That metric and ceiling have what is normalised neuroid by neuroid.
void check_neuroids(const BenchmarkRecord& benchmark,
                    const std::function<void(const std::string&)>& refuse) {
    if (benchmark.normalisation != metrics::neuroid_wise) return;
    const auto needs = "normalisation '" + benchmark.normalisation + "' needs ";
    if (!metrics::has_neuroids(metrics::find_metric(benchmark.metric.name)))
        refuse(needs + "a value of each neuroid (metric '" + benchmark.metric.name +
               "' has one of all together)");
    if (takes_time(benchmark) || is_ceiling_per_time_bin(benchmark))
        refuse(needs + "one value of each neuroid (metric or ceiling has one in each time bin)");
}

/// That metric and ceiling take the bins that are asked for.
void check_time(const BenchmarkRecord& benchmark,
                const std::function<void(const std::string&)>& refuse) {
    if (benchmark.time_bins.size() > 1 && !takes_time(benchmark))
        refuse("metric '" + benchmark.metric.name +
               "' takes one time bin (of several: " + core::joined(metrics_in_time()) + ")");
    if (takes_time(benchmark) && !benchmark.ceiling.is_none() &&
        !is_ceiling_per_time_bin(benchmark))
        refuse("ceiling '" + benchmark.ceiling.name + "' takes one time bin (metric '" +
               benchmark.metric.name +
               "' has a score for each) take internal_consistency_temporal or none");
}

core::Assembly without_nan(const BenchmarkRecord& benchmark, core::Assembly recordings) {
    if (benchmark.dropna.empty()) return recordings;
    return core::naming(benchmark.origin + ": dropna",
                        [&] { return core::dropna(std::move(recordings), benchmark.dropna); });
}

core::Assembly single_presentations(const BenchmarkRecord& benchmark, NeuralRecordings recordings,
                                    const core::StimulusSet* stimuli) {
    if (!recordings.repetitions)
        throw core::InputError(benchmark.origin + ": dataset '" + benchmark.dataset +
                               "' has no repetitions (a ceiling needs them) add them, or set "
                               "ceiling = \"none\" and normalisation = \"none\"");
    auto part = part_of_benchmark(benchmark, std::move(*recordings.repetitions), stimuli);
    if (!benchmark.ceiling.is_none() && !core::find_coordinate(part, "repetition", "presentation"))
        throw core::InputError(
            "no coordinate 'repetition' along 'presentation', which has " +
            core::coordinates_along(part, "presentation") + " (the ceiling " +
            benchmark.ceiling.name +
            " compares repetitions) if another one numbers them say so, { file = …, rename = { X = "
            "\"repetition\" } }, if they are averages name the assembly of single repetitions, or "
            "set ceiling = \"none\" and normalisation = \"none\"");
    return part;
}

}  // namespace

bool is_about_a_part(const BenchmarkRecord& benchmark) {
    return !benchmark.select.empty() || !benchmark.time_bins.empty();
}

core::Positions positions_of_benchmark(const BenchmarkRecord& benchmark,
                                       const core::Assembly& labels,
                                       const core::StimulusSet* stimuli) {
    check_neuroids_of(benchmark, labels);  // while they have what their file has, and no more
    return positions_in(benchmark, choosing_labels(benchmark, labels, stimuli));
}

core::Assembly part_of_benchmark(const BenchmarkRecord& benchmark, core::Assembly recordings,
                                 const core::StimulusSet* stimuli) {
    // Without their values, which may be most of all memory: they stay as they are.
    auto values = std::exchange(recordings.values, core::Values());
    const auto positions = positions_of_benchmark(benchmark, recordings, stimuli);
    if (stimuli) recordings = core::merge_stimulus_columns(recordings, *stimuli);
    recordings.values = std::move(values);
    return with_time_bins_of(benchmark, core::take(std::move(recordings), positions));
}

core::Assembly target_of(const BenchmarkRecord& benchmark, NeuralRecordings recordings,
                         const core::StimulusSet* stimuli) {
    auto target = recordings.target
                      ? part_of_benchmark(benchmark, std::move(*recordings.target), stimuli)
                      : core::average_repetition(
                            single_presentations(benchmark, std::move(recordings), stimuli));
    return without_nan(benchmark, std::move(target));
}

core::Assembly repetitions_of(const BenchmarkRecord& benchmark, NeuralRecordings recordings,
                              const core::StimulusSet* stimuli) {
    return without_nan(benchmark, single_presentations(benchmark, std::move(recordings), stimuli));
}

bool leaves_out_presentations(const BenchmarkRecord& benchmark, const core::Assembly& recordings,
                              const core::StimulusSet* stimuli) {
    if (!benchmark.dropna.empty()) return true;
    return std::any_of(
        benchmark.select.begin(), benchmark.select.end(), [&](const core::Condition& condition) {
            const auto* labels = core::find_coordinate(recordings, condition.coordinate);
            if (labels) return labels->dim == "presentation";
            return stimuli != nullptr;
        });
}

std::vector<std::string> supported_metrics() {
    std::vector<std::string> names;
    for (const auto& metric : metrics::registered_metrics())
        if (metric.form != metrics::MetricForm::train_test && !metric.reversed)
            names.push_back(metric.name);
    return names;
}

std::vector<std::string> supported_ceilings() {
    std::vector<std::string> names{"none"};
    for (const auto& ceiling : metrics::registered_ceilings())
        if (!ceiling.compares_subjects) names.push_back(ceiling.name);
    return names;
}

void check_supported(const BenchmarkRecord& benchmark) {
    const auto refuse = [&](const std::string& what) {
        throw core::InputError(benchmark.origin + ": benchmark '" + benchmark.identifier +
                               "': " + what);
    };
    if (benchmark.pattern != "neural")
        refuse("pattern '" + benchmark.pattern + "' is not supported (supported: neural)");
    const auto& metric = metrics::find_metric(benchmark.metric.name);
    if (metric.form == metrics::MetricForm::train_test)
        refuse("metric '" + metric.name +
               "' needs train and test sets (pattern neural is cross-validated) take one of " +
               core::joined(supported_metrics()));
    if (metric.reversed)
        refuse("metric '" + metric.name +
               "' is not supported in a run yet (`ventral metric` computes it) take one of " +
               core::joined(supported_metrics()));
    if (benchmark.ceiling.is_none()) {
        if (benchmark.normalisation != "none")
            refuse("normalisation '" + benchmark.normalisation +
                   "' needs a ceiling (there is none) set normalisation = \"none\"");
    } else if (metrics::find_ceiling(benchmark.ceiling.name).compares_subjects) {
        refuse("ceiling '" + benchmark.ceiling.name +
               "' compares subjects, not repetitions (`ventral ceiling` computes it) take one of " +
               core::joined(supported_ceilings()));
    }
    check_neuroids(benchmark, refuse);
    check_time(benchmark, refuse);
}

}  // namespace ventral::benchmarks

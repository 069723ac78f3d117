#include "benchmarks/neural.hpp"

#include <algorithm>

#include "core/average_repetition.hpp"
#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "metrics/ceilings.hpp"
#include "metrics/features.hpp"
#include "metrics/registered_metrics.hpp"

namespace ventral::benchmarks {
namespace {

std::string bin_text(double start, double end) {
    return "[" + core::number_text(start) + ", " + core::number_text(end) + "]";
}

core::Assembly choose_time_bin(const BenchmarkRecord& benchmark, const core::Assembly& recordings) {
    if (benchmark.time_bins.empty()) return recordings;
    if (!core::has_dimension(recordings, "time_bin"))
        throw core::InputError(benchmark.origin + ": '" + benchmark.identifier +
                               "' asks for a time bin (the recordings have no dimension time_bin) "
                               "leave time_bins out");
    const auto starts = core::as_float64(core::coordinate(recordings, "time_bin_start").values);
    const auto ends = core::as_float64(core::coordinate(recordings, "time_bin_end").values);
    const auto& [start, end] = benchmark.time_bins.front();
    std::string known;
    for (std::size_t bin = 0; bin < starts.size(); ++bin) {
        if (starts[bin] == start && ends[bin] == end)
            return core::take(recordings, "time_bin", {bin});
        known += (known.empty() ? "" : ", ") + bin_text(starts[bin], ends[bin]);
    }
    throw core::InputError(benchmark.origin + ": time bin " + bin_text(start, end) + " of '" +
                           benchmark.identifier + "' is not in the recordings (they have " + known +
                           ")");
}

}  // namespace

core::Assembly part_of_benchmark(const BenchmarkRecord& benchmark, const core::Assembly& recordings,
                                 const core::StimulusSet* stimuli) {
    const auto merged = stimuli ? core::merge_stimulus_columns(recordings, *stimuli) : recordings;
    const auto selected = metrics::naming(benchmark.origin + ": select",
                                          [&] { return core::select(merged, benchmark.select); });
    return choose_time_bin(benchmark, selected);
}

core::Assembly target_of(const BenchmarkRecord& benchmark, const NeuralRecordings& recordings,
                         const core::StimulusSet* stimuli) {
    if (recordings.target) return part_of_benchmark(benchmark, *recordings.target, stimuli);
    return core::average_repetition(repetitions_of(benchmark, recordings, stimuli));
}

core::Assembly repetitions_of(const BenchmarkRecord& benchmark, const NeuralRecordings& recordings,
                              const core::StimulusSet* stimuli) {
    if (!recordings.repetitions)
        throw core::InputError(benchmark.origin + ": dataset '" + benchmark.dataset +
                               "' has no repetitions (a ceiling needs them) add them, or set "
                               "ceiling = \"none\" and normalisation = \"none\"");
    return part_of_benchmark(benchmark, *recordings.repetitions, stimuli);
}

bool selects_presentations(const BenchmarkRecord& benchmark, const core::Assembly& recordings,
                           const core::StimulusSet* stimuli) {
    return std::any_of(
        benchmark.select.begin(), benchmark.select.end(), [&](const core::Condition& condition) {
            const auto* labels = core::find_coordinate(recordings, condition.coordinate);
            if (labels) return labels->dim == "presentation";
            return stimuli != nullptr;
        });
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
               "' needs train and test sets (pattern neural is cross-validated)");
    if (metric.time != metrics::TimeForm::single || metric.reversed)
        refuse("metric '" + metric.name +
               "' is not supported in a run yet (`ventral metric` computes it)");
    if (benchmark.ceiling.name == "rsa_ceiling")
        refuse(
            "ceiling 'rsa_ceiling' compares subjects, not repetitions (`ventral ceiling` "
            "computes it)");
    if (benchmark.ceiling.name != "none")
        metrics::find_ceiling(benchmark.ceiling.name);
    else if (benchmark.normalisation != "none")
        refuse("normalisation '" + benchmark.normalisation + "' needs a ceiling");
    if (benchmark.time_bins.size() > 1) refuse("several time bins are not supported yet");
}

}  // namespace ventral::benchmarks

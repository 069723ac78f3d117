#include "pipeline/time_needs.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "pipeline/fit_parts.hpp"
#include "pipeline/stored_features.hpp"

namespace ventral::pipeline {
namespace {

const PreparedBenchmark* prepared_or_null(std::size_t benchmark, RecordingsReader& recordings) {
    try {
        return &recordings.prepared(benchmark);
    } catch (const core::InputError&) {
        return nullptr;
    }
}

/// The rows of the longest Gram of the parts. Brings one presentation into the bins of each.
std::size_t try_time_bins(const core::Assembly& features, const PlannedScore& score,
                          const std::vector<FitPart>& parts) {
    const auto one = core::take(features, "presentation", {0});
    std::size_t bins = 0;
    for (const auto& part : parts) {
        stored_layer(one, score.layers.front(), part.bins);
        bins = std::max(bins, part.bins.size());
    }
    return bins * core::dimension_size(features, "presentation");
}

}  // namespace

TimeNeeds time_needs(const config::RunRecord& run, const PlannedUnit& unit,
                     const core::Assembly& features, RecordingsReader& recordings) {
    TimeNeeds needs;
    if (!change_in_time(features)) return needs;
    for (const auto& score : unit.scores) {
        const auto& benchmark = run.benchmarks[score.benchmark];
        const auto time = metrics::find_metric(benchmark.metric.name).time;
        const auto* prepared = prepared_or_null(score.benchmark, recordings);
        if (!prepared) continue;
        try {
            const auto parts = fit_parts(score, *prepared, time, InTime::changing);
            needs.gram_rows = std::max(needs.gram_rows, try_time_bins(features, score, parts));
        } catch (const core::InputError& error) {
            needs.problem = benchmark.identifier + ": " + error.what();
        }
    }
    return needs;
}

}  // namespace ventral::pipeline

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

/// Brings one presentation into the bins of each part.
void try_time_bins(const core::Assembly& features, const PlannedScore& score,
                   const std::vector<FitPart>& parts) {
    const auto one = core::take(features, "presentation", {0});
    for (const auto& part : parts) stored_layer(one, score.layers.front(), part.bins);
}

}  // namespace

TimeNeeds time_needs(const config::RunRecord& run, const PlannedUnit& unit,
                     const core::Assembly* features, RecordingsReader& recordings) {
    const bool changing = features && change_in_time(*features);
    TimeNeeds needs;
    std::size_t gathered = 0;
    for (const auto& score : unit.scores) {
        const auto& benchmark = run.benchmarks[score.benchmark];
        const auto time = metrics::find_metric(benchmark.metric.name).time;
        if (!changing && time != metrics::TimeForm::spanned) continue;
        const auto* prepared = prepared_or_null(score.benchmark, recordings);
        if (!prepared) continue;
        const std::size_t rows = prepared->plan.stimulus_ids.size();
        if (time == metrics::TimeForm::spanned) gathered = std::max(gathered, rows);
        if (!changing) continue;
        try {
            try_time_bins(*features, score, fit_parts(score, *prepared, time, InTime::changing));
            needs.gram_rows = std::max(needs.gram_rows, rows);
        } catch (const core::InputError& error) {
            needs.problem = benchmark.identifier + ": " + error.what();
        }
    }
    needs.gathered_bytes =
        static_cast<double>(gathered) * static_cast<double>(gathered) * sizeof(double);
    return needs;
}

}  // namespace ventral::pipeline

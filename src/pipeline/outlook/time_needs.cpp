#include "pipeline/outlook/time_needs.hpp"

#include <algorithm>
#include <functional>

#include "core/errors.hpp"
#include "models/time_bins.hpp"
#include "pipeline/inputs/stored_features.hpp"
#include "pipeline/plan/fit_parts.hpp"

namespace ventral::pipeline {
namespace {

/// Throws `core::InputError` if the features are not there for all of these bins.
using TryBins = std::function<void(const PlannedScore&, const core::TimeBins& bins)>;

TimeNeeds needs_of(const config::RunRecord& run, const PlannedUnit& unit,
                   RecordingsReader& recordings, const TryBins& try_bins) {
    TimeNeeds needs;
    for (const auto& score : unit.scores) {
        const auto& benchmark = run.benchmarks[score.benchmark];
        const auto time = metrics::find_metric(benchmark.metric.name).time;
        const auto* prepared = recordings.prepared_or_null(score.benchmark);
        if (!prepared) continue;
        try {
            for (const auto& part : fit_parts(score, *prepared, time, InTime::changing)) {
                try_bins(score, part.bins);
                needs.most_bins = std::max(needs.most_bins, part.bins.size());
            }
        } catch (const core::InputError& error) {
            needs.unusable.emplace(score.benchmark, error.what());
        }
    }
    return needs;
}

}  // namespace

TimeNeeds time_needs(const config::RunRecord& run, const PlannedUnit& unit,
                     const core::Assembly& features, RecordingsReader& recordings) {
    if (!change_in_time(features)) return {};
    const auto one = core::take(features, "presentation", {0});
    auto needs = needs_of(run, unit, recordings, [&](const auto& score, const auto& bins) {
        stored_layer(one, score.layers.front(), bins);
    });
    needs.gram_rows = needs.most_bins * core::dimension_size(features, "presentation");
    return needs;
}

TimeNeeds time_needs(const config::RunRecord& run, const PlannedUnit& unit, std::size_t stimuli,
                     RecordingsReader& recordings) {
    const auto& there = run.models[unit.model].time->bins;
    auto needs = needs_of(run, unit, recordings, [&](const auto&, const auto& bins) {
        models::covering_weights("the model's features", there, bins,
                                 models::TimeAlignment::portion);
    });
    needs.gram_rows = needs.most_bins * stimuli;
    return needs;
}

}  // namespace ventral::pipeline

#include "pipeline/plan/fit_parts.hpp"

#include <algorithm>
#include <set>

#include "core/errors.hpp"
#include "metrics/pairing.hpp"
#include "metrics/plan_in_time.hpp"

namespace ventral::pipeline {
namespace {

/// A pointer to what somebody else owns.
std::shared_ptr<const metrics::RegressionPlan> borrowed(const metrics::RegressionPlan& plan) {
    return {std::shared_ptr<void>(), &plan};
}

/// The row among `ids`, those of features or of a table, of each presentation of the recordings.
std::vector<std::size_t> rows_of_presentations(const PreparedBenchmark& prepared,
                                               const std::vector<std::string>& ids,
                                               metrics::StimuliOf source) {
    const auto& wanted = prepared.plan.stimulus_ids;
    if (!prepared.part_of_stimuli) return metrics::pair_rows(ids, wanted, source);
    const std::set<std::string> recorded(wanted.begin(), wanted.end());
    std::vector<std::size_t> kept;
    std::vector<std::string> kept_ids;
    for (std::size_t row = 0; row < ids.size(); ++row)
        if (recorded.count(ids[row])) {
            kept.push_back(row);
            kept_ids.push_back(ids[row]);
        }
    auto rows = metrics::pair_rows(kept_ids, wanted, source);
    for (auto& row : rows) row = kept[row];
    return rows;
}

}  // namespace

std::vector<FitPart> fit_parts(const PlannedScore& score, const PreparedBenchmark& prepared,
                               metrics::TimeForm time, InTime features) {
    FitPart whole{&score, &prepared, borrowed(prepared.plan), 0, 1, {}};
    if (features == InTime::still) return {whole};
    whole.bins = prepared.time_bins;
    if (whole.bins.empty())
        throw core::InputError(
            "the model's features change in time (the recordings have no time bins with start and "
            "end) give the features of one time bin, or the recordings the dimension time_bin with "
            "the coordinates time_bin_start and time_bin_end along it, in milliseconds");
    if (time == metrics::TimeForm::single) return {whole};
    if (time == metrics::TimeForm::spanned) {
        whole.plan =
            std::make_shared<metrics::RegressionPlan>(metrics::below_one_another(prepared.plan));
        return {whole};
    }
    std::vector<FitPart> parts;
    for (std::size_t bin = 0; bin < whole.bins.size(); ++bin)
        parts.push_back(
            {&score,
             &prepared,
             std::make_shared<metrics::RegressionPlan>(metrics::at_time_bin(prepared.plan, bin)),
             bin,
             whole.bins.size(),
             {whole.bins[bin]}});
    return parts;
}

std::optional<std::vector<core::TimeBins>> gram_bins(const config::RunRecord& run,
                                                     const PlannedScore& score,
                                                     RecordingsReader& recordings,
                                                     InTime features) {
    if (features == InTime::still) return std::vector<core::TimeBins>(1);
    const auto& metric = metrics::find_metric(run.benchmarks[score.benchmark].metric.name);
    try {
        const auto& bins = recordings.prepared(score.benchmark).time_bins;
        if (metric.time != metrics::TimeForm::apart) return std::vector<core::TimeBins>{bins};
        std::vector<core::TimeBins> each;
        for (const auto& bin : bins) each.push_back({bin});
        return each;
    } catch (const core::InputError&) {
        return std::nullopt;
    }
}

std::vector<PartsTogether> by_gram(const std::vector<FitPart>& parts,
                                   const config::RunRecord& run) {
    std::vector<PartsTogether> groups;
    for (const auto& part : parts) {
        const auto& metric = run.benchmarks[part.score->benchmark].metric.name;
        const bool needs_gram = metrics::needs_gram(metrics::find_metric(metric));
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
            return group.needs_gram == needs_gram && group.parts.front().bins == part.bins;
        });
        if (same != groups.end())
            same->parts.push_back(part);
        else
            groups.push_back({needs_gram, {part}});
    }
    std::stable_partition(groups.begin(), groups.end(),
                          [](const auto& group) { return !group.needs_gram; });
    return groups;
}

std::vector<const PlannedScore*> scores_of(const std::vector<FitPart>& parts) {
    std::vector<const PlannedScore*> scores;
    for (const auto& part : parts) scores.push_back(part.score);
    return scores;
}

std::vector<std::size_t> rows_of(const FitPart& part, const std::vector<std::string>& ids,
                                 metrics::StimuliOf source) {
    return metrics::in_every_time_bin(*part.plan,
                                      rows_of_presentations(*part.prepared, ids, source),
                                      part.bins.empty() ? 0 : ids.size());
}

void check_stimuli(const PreparedBenchmark& prepared, const std::vector<std::string>& ids,
                   metrics::StimuliOf source) {
    rows_of_presentations(prepared, ids, source);
}

metrics::StimuliOf stimuli_stated_by(const models::ModelRecord& model) {
    return has_stored_features(model) ? metrics::StimuliOf::features : metrics::StimuliOf::table;
}

std::string compared_files(const config::RunRecord& run, const PlannedUnit& unit,
                           const RecordingsReader& recordings, std::size_t benchmark) {
    const auto& model = run.models[unit.model];
    const std::string& source =
        has_stored_features(model)
            ? model.features.path
            : run.datasets.at(run.benchmarks[benchmark].dataset).stimuli.csv.path;
    return source + " and " + recordings.target_file(benchmark);
}

void check_labels(const FitPart& part, const std::vector<std::string>& ids,
                  const metrics::SplitLabels& labels) {
    const auto rows = rows_of_presentations(*part.prepared, ids, metrics::StimuliOf::features);
    metrics::SplitLabels used;
    for (const auto& [name, all] : labels)
        for (const auto row : rows) used[name].push_back(all.at(row));
    metrics::check_split_labels(used, part.prepared->split_labels);
}

}  // namespace ventral::pipeline

#include "pipeline/outlook/estimate.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/score.hpp"
#include "core/text.hpp"
#include "pipeline/outlook/estimate_unit.hpp"

namespace ventral::pipeline {
namespace {

void count_finished(UnitEstimate& estimate, const PlannedUnit& unit, const Finished& finished) {
    for (const auto& score : unit.scores) {
        const auto status = finished.status_of(score.key);
        if (status) ++estimate.finished;
        if (status == core::ScoreStatus::failed) ++estimate.failed;
    }
}

/// Says in the estimate which benchmarks' scores will fail, since their recordings cannot be
/// scored, or are of other stimuli or times than the features.
void note_unusable_recordings(UnitEstimate& estimate, const PlannedUnit& unit,
                              const std::vector<std::string>& stimulus_ids,
                              const EstimateContext& context) {
    auto& recordings = context.recordings;
    std::map<std::size_t, std::string> reasons;  // by benchmark, empty if there is none
    for (const auto& score : unit.scores) {
        if (context.finished.is_done(score.key) || reasons.contains(score.benchmark)) continue;
        auto& reason = reasons[score.benchmark];
        try {
            const auto& prepared = recordings.prepared(score.benchmark);
            core::naming(compared_files(context.run, unit, recordings, score.benchmark), [&] {
                check_stimuli(prepared, stimulus_ids,
                              stimuli_stated_by(context.run.models[unit.model]));
            });
        } catch (const std::exception& error) {
            reason = recordings.public_reason(score.benchmark, error.what());
        }
    }
    std::erase_if(estimate.unusable, [&](const auto& of) { return !reasons.contains(of.first); });
    for (const auto& [benchmark, reason] : reasons)
        if (!reason.empty()) estimate.unusable[benchmark] = reason;
    estimate.add_problem(unusable_text(estimate, context.run));
    if (estimate.unusable.size() == reasons.size()) estimate.can_run = false;
}

}  // namespace

void UnitEstimate::add_problem(const std::string& text) {
    if (!text.empty()) core::add_part(problem, text, "; ");
}

const MemoryStage& UnitEstimate::largest_stage(std::size_t ranks) const {
    return *std::max_element(stages.begin(), stages.end(), [&](const auto& a, const auto& b) {
        return a.of_node(ranks) < b.of_node(ranks);
    });
}

std::string unusable_text(const UnitEstimate& estimate, const config::RunRecord& run) {
    constexpr std::size_t most_named = 6;
    std::map<std::string, std::vector<std::string>> names;  // of benchmarks, by reason
    for (const auto& [benchmark, reason] : estimate.unusable)
        names[reason].push_back("'" + run.benchmarks[benchmark].identifier + "'");
    std::string text;
    for (const auto& [reason, benchmarks] : names)
        core::add_part(text,
                       "the scores of benchmark" + std::string(benchmarks.size() == 1 ? "" : "s") +
                           " " + core::joined_first(benchmarks, most_named) +
                           " will fail: " + reason,
                       "; ");
    return text;
}

std::vector<UnitEstimate> estimate_units(const config::RunRecord& run, const RunPlan& plan,
                                         const Finished& finished, const NodeSize& node,
                                         const EstimateCalls& calls) {
    RecordingsReader recordings(run);
    ProbedNetworks probed;
    const EstimateContext context{run, finished, node, calls.needs_passes, recordings, probed};
    std::vector<UnitEstimate> estimates;
    for (const auto& unit : plan.units) {
        UnitEstimate estimate;
        estimate.model = run.models[unit.model].identifier;
        estimate.dataset = unit.dataset;
        estimate.scores = unit.scores.size();
        count_finished(estimate, unit, finished);
        estimate.can_run = estimate.finished == estimate.scores;
        try {
            if (!estimate.can_run) {
                const auto stimulus_ids = estimate_unit(estimate, unit, context);
                note_unusable_recordings(estimate, unit, stimulus_ids, context);
            }
        } catch (const std::exception& error) {
            estimate.problem = error.what();
        }
        estimates.push_back(std::move(estimate));
        calls.on_unit(estimates.size(), plan.units.size());
    }
    return estimates;
}

}  // namespace ventral::pipeline

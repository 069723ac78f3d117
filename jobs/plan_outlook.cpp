#include "plan_outlook.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/counted.hpp"
#include "core/text.hpp"
#include "io/input_file.hpp"
#include "leaderboard/records.hpp"
#include "pipeline/extraction/discarded_files.hpp"
#include "pipeline/inputs/fingerprint.hpp"
#include "pipeline/inputs/recordings.hpp"
#include "pipeline/journal/unit_history.hpp"
#include "pipeline/outlook/disk_needs.hpp"
#include "pipeline/plan/fit_parts.hpp"
#include "pipeline/schedule/containment.hpp"
#include "pipeline/watch/memory_bound.hpp"
#include "pipeline/watch/progress.hpp"
#include "process.hpp"

namespace ventral::jobs {
namespace {

/// A run that has nothing to score asks for none.
pipeline::CeilingsToDo ceilings_of(const pipeline::RunPlan& plan,
                                   const pipeline::Finished& finished,
                                   const pipeline::UnitHistories& histories,
                                   const std::string& out) {
    if (!pipeline::open_units(plan, finished, histories).has_work()) return {};
    return pipeline::ceilings_to_do(plan.ceilings, out, histories);
}

/// A finished unit is not asked for.
void note_left_out(std::vector<pipeline::UnitEstimate>& estimates, const config::RunRecord& run,
                   const pipeline::RunPlan& plan, const pipeline::UnitHistories& histories) {
    for (std::size_t u = 0; u < estimates.size(); ++u)
        if (estimates[u].finished < estimates[u].scores)
            estimates[u].left_out =
                pipeline::reason_left_out(run, plan.units[u], histories).value_or("");
}

/// Why a score that is left to do is known to fail; empty if it is not.
std::string foreseen_failure(const OutlookRequest& request, const Outlook& outlook,
                             std::size_t place, std::size_t score) {
    const auto& unit = request.plan.units[place];
    const auto benchmark = unit.scores[score].benchmark;
    const auto& estimate = outlook.units[place];
    for (const auto& layer : unit.scores[score].layers)
        if (const auto found = estimate.failing_layers.find(layer);
            found != estimate.failing_layers.end())
            return found->second;
    if (const auto found = estimate.unusable.find(benchmark); found != estimate.unusable.end())
        return "the scores of benchmark '" + request.run.benchmarks[benchmark].identifier +
               "' will fail: " + found->second;
    if (!estimate.can_run) return estimate.problem;
    for (const auto& few : outlook.few)
        if (few.unit == place && few.score == score) return few.text;
    const auto& failing = outlook.ceilings_memory.failing;
    if (failing.empty()) return "";
    const auto key = pipeline::ceiling_key_of(request.run, request.facts, benchmark);
    for (const auto& ceiling : failing)
        if (ceiling.key == key) return ceiling.text;
    return "";
}

/// The explanations of units come first, in the order of their scores.
void note_foreseen_failures(const OutlookRequest& request, Outlook& outlook) {
    const auto& plan = request.plan;
    auto explained = outlook.explained.begin();
    for (std::size_t u = 0; u < plan.units.size(); ++u)
        for (std::size_t s = 0; s < plan.units[u].scores.size(); ++s, ++explained) {
            if (explained->action != pipeline::ScoreAction::compute) continue;
            auto failure = foreseen_failure(request, outlook, u, s);
            if (failure.empty()) continue;
            explained->action = pipeline::ScoreAction::impossible;
            explained->why = std::move(failure);
            explained->on_disk.clear();
        }
}

std::vector<pipeline::UnitEstimate> estimates_of_units(const OutlookRequest& request,
                                                       const pipeline::Finished& finished,
                                                       pipeline::Checkpoints& checkpoints,
                                                       const pipeline::NodeSize& node) {
    const auto& units = request.plan.units;
    using Shown = pipeline::Progress::Shown;
    pipeline::Progress progress(units.size() > 1 ? Shown::yes : Shown::no);  // nothing to count
    progress.begin("estimating " + core::counted(units.size(), "unit"));
    return pipeline::estimate_units(
        request.run, request.plan, finished, node,
        {[&](const auto& unit, const auto& estimate, auto& recordings) {
             const pipeline::WorkInputs inputs{request.run, request.facts, finished, checkpoints,
                                               recordings};
             return !pipeline::unit_work(unit, estimate, inputs).passes.empty();
         },
         [&](auto done, auto total) { progress.step("unit", done, total); }});
}

std::size_t open_scores(const pipeline::RunPlan& plan, const pipeline::Finished& finished) {
    std::size_t open = plan.impossible.size();
    for (const auto& unit : plan.units)
        for (const auto& score : unit.scores) open += finished.is_done(score.key) ? 0 : 1;
    return open;
}

ScoreCounts counts_of(const OutlookRequest& request, const Outlook& outlook,
                      const pipeline::Finished& finished) {
    ScoreCounts counts;
    counts.impossible = request.plan.impossible.size();
    for (std::size_t u = 0; u < outlook.units.size(); ++u) {
        const auto& unit = outlook.units[u];
        const auto& scores = request.plan.units[u].scores;
        for (std::size_t s = 0; s < scores.size(); ++s) {
            if (finished.is_done(scores[s].key)) continue;
            const bool can_be =
                unit.left_out.empty() && foreseen_failure(request, outlook, u, s).empty();
            ++(can_be ? counts.to_compute : counts.impossible);
        }
        counts.failed += unit.failed;
        counts.scored += unit.finished - unit.failed;
    }
    return counts;
}

/// That can be computed without what is in `failing_layers`.
bool has_score_left(const pipeline::PlannedUnit& unit, const pipeline::UnitEstimate& estimate,
                    const pipeline::Finished& finished) {
    return std::any_of(unit.scores.begin(), unit.scores.end(), [&](const auto& score) {
        return !finished.is_done(score.key) &&
               std::none_of(score.layers.begin(), score.layers.end(), [&](const auto& layer) {
                   return estimate.failing_layers.contains(layer);
               });
    });
}

/// Of a unit that does not fit by itself nothing is extracted.
void note_disk(const OutlookRequest& request, const pipeline::Finished& finished,
               pipeline::DiskRoom room, Outlook& outlook) {
    auto& cost = outlook.cost;
    std::vector<pipeline::UnitWork> fitting;
    for (std::size_t u = 0; u < outlook.units.size(); ++u) {
        const auto problem = pipeline::why_too_large(cost.work[u], request.kept, room);
        if (problem.empty()) {
            fitting.push_back(cost.work[u]);
            continue;
        }
        auto& estimate = outlook.units[u];
        core::add_part(estimate.problem, problem, "; ");
        for (const auto& layer : cost.work[u].extracted)
            estimate.failing_layers.emplace(layer, problem);
        if (has_score_left(request.plan.units[u], estimate, finished)) continue;
        estimate.can_run = false;
        cost.work[u] = {};
        cost.seconds[u] = {};
    }
    outlook.disk_bytes = pipeline::disk_needs(fitting, request.kept, room).total();
    if (std::isfinite(room.free)) outlook.free_bytes = room.free;
    outlook.discarded_bytes = room.discarded;
    if (const auto why = pipeline::why_full(fitting, request.kept, room); !why.empty())
        outlook.full_disk = request.out + ": " + why;
}

/// With what a run that discards activations removes first.
pipeline::DiskRoom room_of(const OutlookRequest& request, const pipeline::Finished& finished,
                           const std::string& fingerprint) {
    auto room = pipeline::disk_room(request.out);
    if (request.kept.activations == pipeline::Keep::discard)
        for (const auto& file : pipeline::files_of_finished(request.out, request.plan, request.run,
                                                            request.facts, finished, fingerprint))
            room.discarded += static_cast<double>(io::file_bytes(file));
    return room;
}

}  // namespace

Outlook outlook_of(const OutlookRequest& request) {
    const auto& run = request.run;
    const auto& plan = request.plan;
    const auto& out = request.out;
    const auto fingerprint = pipeline::own_fingerprint();
    pipeline::ResumeChoices choices;
    choices.memory_bound =
        request.memory.bytes / static_cast<double>(request.memory.is_limited ? request.ranks : 1);
    pipeline::Finished finished;
    pipeline::Checkpoints checkpoints;
    if (!out.empty()) {
        finished = pipeline::read_finished(out, fingerprint, choices);
        checkpoints = pipeline::Checkpoints(out, fingerprint);
    }
    const pipeline::NodeSize node{request.memory.bytes, request.ranks,
                                  request.threads,      peak_memory,
                                  forget_peak_memory,   pipeline::least_room_of_a_rank};
    auto machine = request.calibrate ? measured_machine(request.calibration, node)
                                     : known_machine(request.calibration, node);
    const auto histories = out.empty()
                               ? pipeline::UnitHistories()
                               : pipeline::read_past(out, {}, choices.memory_bound).histories;

    Outlook outlook;
    outlook.ceilings = ceilings_of(plan, finished, histories, out);
    outlook.ceilings_memory = pipeline::estimate_ceilings(run, outlook.ceilings.compute, node);
    outlook.units = estimates_of_units(request, finished, checkpoints, node);
    note_left_out(outlook.units, run, plan, histories);
    outlook.scores_in_tables = finished.scores.size() + open_scores(plan, finished);
    pipeline::RecordingsReader recordings(run);
    outlook.cost =
        plan_cost(plan, outlook.units, {run, request.facts, finished, checkpoints, recordings},
                  request.kept.grams, std::move(machine));
    if (!out.empty())
        note_disk(request, finished, room_of(request, finished, fingerprint), outlook);
    outlook.few = pipeline::few_features(run, plan, outlook.units);
    outlook.scores = counts_of(request, outlook, finished);
    if (!request.explain) return outlook;
    std::vector<core::ScoreRecord> records;
    if (!out.empty()) records = leaderboard::read_records(out).records;
    outlook.explained = pipeline::explain(
        run, request.facts, plan,
        {finished, records, checkpoints, histories, [&](std::size_t unit, const auto& score) {
             recordings.turn_to(pipeline::benchmarks_of(plan.units[unit]));
             // Recordings that cannot be read have no bins.
             return pipeline::gram_bins(run, score, recordings, outlook.units[unit].in_time)
                 .value_or(std::vector<core::TimeBins>(1));
         }});
    note_foreseen_failures(request, outlook);
    return outlook;
}

bool all_can_run(const OutlookRequest& request, const Outlook& outlook) {
    return request.plan.impossible.empty() && outlook.ceilings_memory.problem.empty() &&
           outlook.ceilings_memory.failing.empty() && outlook.few.empty() &&
           outlook.full_disk.empty() &&
           std::all_of(outlook.units.begin(), outlook.units.end(), [](const auto& unit) {
               return unit.problem.empty() && unit.left_out.empty() && unit.failed == 0;
           });
}

bool some_can_run(const OutlookRequest& request, const Outlook& outlook) {
    for (std::size_t u = 0; u < outlook.units.size(); ++u) {
        if (outlook.units[u].finished > outlook.units[u].failed) return true;
        const auto scores = request.plan.units[u].scores.size();
        for (std::size_t s = 0; s < scores; ++s)
            if (foreseen_failure(request, outlook, u, s).empty()) return true;
    }
    return false;
}

}  // namespace ventral::jobs

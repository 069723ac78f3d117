#include "pipeline/schedule/containment.hpp"

#include <algorithm>

#include "comm/within_team.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"

namespace ventral::pipeline {
namespace {

bool has_open_score(const PlannedUnit& unit, const Finished& finished) {
    return std::any_of(unit.scores.begin(), unit.scores.end(),
                       [&](const auto& score) { return !finished.is_done(score.key); });
}

void put_longest_first(std::vector<PlannedUnit>& units, const Finished& finished) {
    double seconds = 0;
    double cost = 0;
    for (const auto& unit : units)
        if (const auto found = finished.estimates.find(unit.id);
            found != finished.estimates.end()) {
            seconds += found->second.seconds;
            cost += unit.cost;
        }
    const double scale = cost > 0 ? seconds / cost : 1;
    const auto length = [&](const PlannedUnit& unit) {
        const auto found = finished.estimates.find(unit.id);
        return found != finished.estimates.end() ? found->second.seconds : scale * unit.cost;
    };
    std::stable_sort(units.begin(), units.end(),
                     [&](const auto& a, const auto& b) { return length(a) > length(b); });
}

/// Records the open scores of one unit as failed.
void leave_out(const PlannedUnit& unit, const Accused& accused, RunJournal& journal,
               const TeamContext& context) {
    const auto& history = accused.histories.at(unit.id);
    const auto reason = *reason_left_out(accused.run, unit, accused.histories);
    core::log_error(reason);
    for (const auto& score : unit.scores) {
        if (accused.finished.is_done(score.key)) continue;
        auto record = planned_record(accused.run, unit, score);
        record.status = core::ScoreStatus::failed;
        record.failure = core::Failure{history.death, reason};
        if (history.death == core::FailureClass::out_of_memory)
            note_memory_bound(record, context.memory_share());
        record.provenance = context.provenance;
        record.provenance["activations"] = unit.key;
        journal.score(std::move(record), {});
    }
    journal.left_out(unit.id);
}

}  // namespace

OpenUnits open_units(const RunPlan& plan, const Finished& finished,
                     const UnitHistories& histories) {
    OpenUnits open;
    for (const auto& unit : plan.units) {
        if (!has_open_score(unit, finished)) continue;
        const auto history = history_of(unit.id, histories);
        if (history.left_out)
            open.left_out.push_back(unit);
        else if (history.alone)
            open.alone.push_back(unit);
        else
            open.together.push_back(unit);
    }
    put_longest_first(open.together, finished);
    return open;
}

std::optional<std::string> reason_left_out(const config::RunRecord& run, const PlannedUnit& unit,
                                           const UnitHistories& histories) {
    const auto history = history_of(unit.id, histories);
    if (!history.left_out) return std::nullopt;
    return "the unit '" + unit_name(run, unit) + "' has ended its job " + why_left_out(history);
}

std::string unit_name(const config::RunRecord& run, const PlannedUnit& unit) {
    return run.models[unit.model].identifier + " on " + unit.dataset;
}

void record_left_out(const OpenUnits& units, const Accused& accused, RunJournal& journal,
                     const TeamContext& context) {
    for (const auto& unit : units.left_out) leave_out(unit, accused, journal, context);
    for (const auto& unit : units.alone) {
        const auto& deaths = accused.histories.at(unit.id).deaths;
        core::log_warning("the unit '" + unit_name(accused.run, unit) + "' has ended its job " +
                          (deaths.empty() ? "before" : deaths) +
                          ": it is run alone, after all others");
    }
}

void tell_units_elsewhere(const OpenUnits& units, const config::RunRecord& run,
                          const UnitHistories& histories) {
    for (const auto* open : {&units.together, &units.alone})
        for (const auto& unit : *open) {
            const auto history = history_of(unit.id, histories);
            if (history.in_work.empty()) continue;
            core::log_info("another run with the same --out is at the unit '" +
                           unit_name(run, unit) + "' (" + history.in_work +
                           "): it comes last here");
        }
}

void one_by_one(std::size_t count, comm::Communicator& world, comm::Communicator& team,
                const std::function<void(std::size_t)>& work) {
    if (count == 0) return;
    const bool is_first_team = team.broadcast(world.rank() == 0 ? "first" : "", 0) == "first";
    for (std::size_t item = 0; item < count; ++item) {
        stop_together(world, [&] {
            if (is_first_team) comm::within_team(team, world, [&] { work(item); });
        });
    }
}

}  // namespace ventral::pipeline

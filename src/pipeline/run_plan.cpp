#include "pipeline/run_plan.hpp"

#include <utility>

#include "pipeline/inputs/keys.hpp"

namespace ventral::pipeline {

std::vector<core::ScoreRecord> all_planned(const config::RunRecord& record,
                                           const InputFacts& facts) {
    auto plan = make_plan(record, facts, {});
    auto planned = std::move(plan.impossible);
    for (const auto& unit : plan.units)
        for (const auto& score : unit.scores)
            planned.push_back(planned_record(record, unit, score));
    return planned;
}

std::set<std::string> all_keys(const config::RunRecord& record, const InputFacts& facts) {
    const auto plan = make_plan(record, facts, {});
    auto keys = score_keys_of(plan);
    for (const auto& score : plan.impossible) keys.insert(score.key);
    return keys;
}

void keep_only(RunPlan& plan, const std::set<std::string>& keys, const config::RunRecord& record,
               const InputFacts& facts) {
    std::set<std::string> ceilings;
    for (auto& unit : plan.units) {
        std::erase_if(unit.scores, [&](const auto& score) { return keys.count(score.key) == 0; });
        for (const auto& score : unit.scores)
            ceilings.insert(ceiling_key_of(record, facts, score.benchmark));
    }
    std::erase_if(plan.units, [](const auto& unit) { return unit.scores.empty(); });
    std::erase_if(plan.ceilings,
                  [&](const auto& ceiling) { return ceilings.count(ceiling.key) == 0; });
    plan.impossible.clear();
}

std::set<std::string> score_keys_of(const RunPlan& plan) {
    std::set<std::string> keys;
    for (const auto& unit : plan.units)
        for (const auto& score : unit.scores) keys.insert(score.key);
    return keys;
}

std::vector<std::string> scored_before(const RunPlan& plan, const Finished& finished) {
    std::vector<std::string> keys;
    for (const auto& unit : plan.units)
        for (const auto& score : unit.scores)
            if (finished.status_of(score.key) == core::ScoreStatus::scored)
                keys.push_back(score.key);
    return keys;
}

void count_results(RunResult& result, const RunPlan& plan, const Finished& finished,
                   const std::set<std::string>& failed) {
    for (const auto& unit : plan.units)
        for (const auto& score : unit.scores) {
            const auto status = finished.status_of(score.key);
            if (failed.count(score.key) > 0)
                ++result.failed;
            else if (status)
                ++(status == core::ScoreStatus::failed ? result.failed : result.scored);
            else
                ++(finished.retried.count(score.key) > 0 ? result.failed : result.open);
        }
    result.failed += plan.impossible.size();
}

}  // namespace ventral::pipeline

#include "pipeline/simulation/measured_stages.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "metrics/regression_plan.hpp"
#include "pipeline/watch/stage_report.hpp"

namespace ventral::pipeline {
namespace {

/// Of "0:10", "0:5 1:5": rank and folds.
std::size_t folds_in(const std::string& folds_by_rank) {
    std::istringstream parts(folds_by_rank);
    std::size_t folds = 0;
    for (std::string part; parts >> part;) folds += std::stoul(part.substr(part.find(':') + 1));
    return folds;
}

void require_one_worker(const core::ScoreRecord& record) {
    const auto ranks = core::provenance_of(record, "ranks");
    const auto threads = core::provenance_of(record, "threads");
    if (ranks != "1" || threads != "1")
        throw core::InputError(record.model + " on " + record.benchmark + ": was scored by " +
                               ranks + " × " + threads +
                               " ranks × threads (only of one worker are the seconds of the stages "
                               "known) give a folder that "
                               "`ventral run --threads 1` has made without mpirun");
}

void add(UnitStages& stages, const core::ScoreRecord& record, bool first_of_layers) {
    if (first_of_layers) {
        const double extract = core::seconds_of(record, "extraction");
        stages.extract += extract;
        stages.gram += core::seconds_of(record, "features_and_gram") - extract;
    }
    const auto folds = folds_in(core::provenance_of(record, "folds_by_rank"));
    const auto groups = core::ceil_divide(folds, metrics::fold_group);
    for (std::size_t group = 0; group < groups; ++group)
        stages.fold_groups.push_back(core::seconds_of(record, "fit") / static_cast<double>(groups));
}

std::size_t batches_of(const PlannedUnit& unit, const config::RunRecord& run,
                       const InputFacts& facts) {
    const auto& model = run.models[unit.model];
    if (has_stored_features(model)) return 0;
    const std::size_t batch = models::images_at_once(model);
    return core::ceil_divide(facts.datasets.at(unit.dataset).stimuli, batch);
}

}  // namespace

std::vector<UnitStages> measured_stages(const config::RunRecord& run, const InputFacts& facts,
                                        const RunPlan& plan,
                                        const std::vector<core::ScoreRecord>& records) {
    std::map<std::string, const core::ScoreRecord*> record_of;
    for (const auto& record : records)
        if (record.timing.contains("fit")) record_of[record.key] = &record;
    std::vector<UnitStages> measured;
    for (const auto& unit : plan.units) {
        UnitStages stages;
        std::set<config::LayerSet> layers;
        for (const auto& score : unit.scores) {
            const auto found = record_of.find(score.key);
            if (found == record_of.end()) continue;
            require_one_worker(*found->second);
            add(stages, *found->second, layers.insert(score.layers).second);
        }
        stages.batches = batches_of(unit, run, facts);
        if (!layers.empty()) measured.push_back(std::move(stages));
    }
    return measured;
}

std::optional<JobStages> measured_job(const std::vector<std::string>& journal, const RunPlan& plan,
                                      const std::vector<UnitStages>& units) {
    std::vector<RankTimes> starts;
    for (const auto& line : journal)
        for (auto& rank : times_from(line)) starts.push_back(std::move(rank));
    if (starts.size() != 1) return std::nullopt;
    const double ceilings = starts[0].stages.at(static_cast<std::size_t>(Stage::ceilings));
    JobStages job;
    if (const auto count = plan.ceilings.size(); count > 0)
        job.ceilings.assign(count, ceilings / static_cast<double>(count));
    job.rest = starts[0].total - ceilings;
    for (const auto& unit : units) job.rest -= sum_of(unit);
    job.rest = std::max(0.0, job.rest);  // clocks of several threads
    return job;
}

}  // namespace ventral::pipeline

#pragma once
/// @file
/// The unit of the small run, scored on any number of ranks.

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/average_repetition.hpp"
#include "core/select.hpp"
#include "metrics/score_assemblies.hpp"
#include "pipeline/unit.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_run.hpp"
#include "support/team.hpp"

namespace ventral::test {

/// The unit of the small run, with ceilings of 0.5.
class SmallUnit {
public:
    SmallUnit(comm::Communicator& world, const std::string& folder) : world_(world), out_(folder) {
        if (world.rank() == 0) test::write_small_data(folder);
        world.barrier();
        run = test::small_run(folder);
    }

    /// Scores the unit and returns what is in the journal then.
    std::vector<core::ScoreRecord> score(std::optional<std::chrono::duration<double>> limit = {}) {
        const auto facts = pipeline::share_facts(run, world_);
        const auto plan = pipeline::make_plan(run, facts, {});
        for (const auto& ceiling : plan.ceilings)
            ceilings.emplace(ceiling.key, core::CeilingValue{0.5, 0.01});
        pipeline::RecordingsReader recordings(run);
        Team team(world_, out_, 1, limit);
        team.context.provenance["program"] = "test";
        team.context.peak_memory = [] { return 1234.0; };
        std::optional<pipeline::RunJournal> journal;
        if (team.context.leads()) journal.emplace(out_, "job", team.context.fingerprint);
        pipeline::NetworkTrials trials(run, {});
        pipeline::score_unit(plan.units.at(0), {run, recordings, ceilings, facts, finished, trials},
                             journal ? &*journal : nullptr, team.context);
        world_.barrier();
        auto records = test::recorded_scores(out_);
        world_.barrier();
        return records;
    }

    config::RunRecord run;
    std::map<std::string, pipeline::CeilingOutcome> ceilings;
    pipeline::Finished finished;

private:
    comm::Communicator& world_;
    std::string out_;
};

/// The benchmark's score as `ventral metric` computes it.
inline double directly(const core::Assembly& features, const metrics::MetricOptions& metric,
                       const core::Assembly& recordings = test::small_recordings()) {
    core::Workers workers(2);
    return metrics::score_assemblies({"", features}, {"", core::average_repetition(recordings)},
                                     metric, {workers})
        .score.value;
}

inline std::vector<std::size_t> positions_of(const std::string& layer) {
    const auto layers = core::texts(test::small_features(), "layer");
    std::vector<std::size_t> columns;
    for (std::size_t j = 0; j < layers.size(); ++j)
        if (layers[j] == layer) columns.push_back(j);
    return columns;
}

/// The presentations of these stimuli, in the assembly's order.
inline core::Assembly only_stimuli(const core::Assembly& assembly,
                                   const std::set<std::string>& wanted) {
    const auto ids = core::texts(assembly, "stimulus_id");
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (wanted.count(ids[i])) rows.push_back(i);
    return core::take(assembly, "presentation", rows);
}

}  // namespace ventral::test

#pragma once
/// @file
/// Runs to be planned, without files.

#include <string>
#include <vector>

#include "pipeline/plan/plan.hpp"
#include "support/small_facts.hpp"

namespace ventral::test {

inline config::RunRecord run_of_models(std::size_t count) {
    auto run = small_run("nowhere");
    const auto model = run.models[0];
    run.models.clear();
    for (std::size_t i = 0; i < count; ++i) {
        run.models.push_back(model);
        run.models.back().identifier = "model" + std::to_string(i);
    }
    return run;
}

inline std::vector<std::string> score_keys(const pipeline::RunPlan& plan) {
    std::vector<std::string> keys;
    for (const auto& unit : plan.units)
        for (const auto& score : unit.scores) keys.push_back(score.key);
    return keys;
}

/// A network of three layers, two of which stand for IT, with stimuli.
inline config::RunRecord network_run() {
    auto run = small_run("nowhere");
    run.models[0].features.path.clear();
    run.models[0].weights_file = "weights.ts";
    run.models[0].candidate_layers = {"a", "b", "c"};
    run.models[0].regions = {{"IT", {"b", "c"}}};
    run.layers = config::LayerChoice::committed;
    return run;
}

inline pipeline::InputFacts network_facts(const config::RunRecord& run) {
    auto facts = small_facts(run);
    facts.models[{"stored", ""}].layers.clear();
    facts.datasets["small"].stimuli_key = "stimuli";
    facts.datasets["small"].stimuli = 40;
    return facts;
}

/// Of one model with features of each of two datasets.
inline config::RunRecord run_by_dataset() {
    auto run = small_run("nowhere");
    run.datasets["other"] = run.datasets.at("small");
    run.benchmarks[1].dataset = "other";
    run.models.push_back(run.models[0]);
    run.models[0].dataset = "small";
    run.models[1].dataset = "other";
    return run;
}

}  // namespace ventral::test

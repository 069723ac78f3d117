#include "pipeline/plan/plan.hpp"

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

#include "comm/records.hpp"
#include "core/errors.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/plan/chosen_layers.hpp"
#include "support/ranks.hpp"
#include "support/small_facts.hpp"

using namespace ventral;
using config::LayerChoice;
using pipeline::make_plan;
using pipeline::RunPlan;

namespace {

config::RunRecord run_of_models(std::size_t count) {
    auto run = test::small_run("nowhere");
    const auto model = run.models[0];
    run.models.clear();
    for (std::size_t i = 0; i < count; ++i) {
        run.models.push_back(model);
        run.models.back().identifier = "model" + std::to_string(i);
    }
    return run;
}

std::vector<std::string> score_keys(const RunPlan& plan) {
    std::vector<std::string> keys;
    for (const auto& unit : plan.units)
        for (const auto& score : unit.scores) keys.push_back(score.key);
    return keys;
}

/// A network with two regions, on stimuli.
config::RunRecord network_run() {
    auto run = test::small_run("nowhere");
    run.models[0].features.path.clear();
    run.models[0].weights_file = "weights.ts";
    run.models[0].candidate_layers = {"a", "b", "c"};
    run.models[0].regions = {{"IT", {"b", "c"}}};
    run.layers = LayerChoice::committed;
    return run;
}

pipeline::InputFacts network_facts(const config::RunRecord& run) {
    auto facts = test::small_facts(run);
    facts.models[{"stored", ""}].layers.clear();
    facts.datasets["small"].stimuli_key = "stimuli";
    facts.datasets["small"].stimuli = 40;
    return facts;
}

/// Of one model with features of each of two datasets.
config::RunRecord run_by_dataset() {
    auto run = test::small_run("nowhere");
    run.datasets["other"] = run.datasets.at("small");
    run.benchmarks[1].dataset = "other";
    run.models.push_back(run.models[0]);
    run.models[0].dataset = "small";
    run.models[1].dataset = "other";
    return run;
}

}  // namespace

TEST_CASE("a model is one unit with a score for every layer and benchmark") {
    const auto run = test::small_run("nowhere");
    const auto plan = make_plan(run, test::small_facts(run), {});
    REQUIRE(plan.units.size() == 1);
    CHECK(plan.units[0].layers == std::vector<std::string>{"narrow", "wide"});
    REQUIRE(plan.units[0].scores.size() == 4);
    const auto keys = score_keys(plan);
    CHECK(std::set<std::string>(keys.begin(), keys.end()).size() == 4);
    CHECK(pipeline::benchmarks_of(plan.units[0]) == std::set<std::size_t>{0, 1});
    CHECK(plan.impossible.empty());
}

TEST_CASE("benchmarks on the same recordings share a ceiling") {
    auto run = test::small_run("nowhere");
    CHECK(make_plan(run, test::small_facts(run), {}).ceilings.size() == 1);
    run.benchmarks[1].select = {{"region", {"IT"}, {}, {}}};
    CHECK(make_plan(run, test::small_facts(run), {}).ceilings.size() == 2);
    run.benchmarks[1].ceiling.name = run.benchmarks[1].normalisation = "none";
    CHECK(make_plan(run, test::small_facts(run), {}).ceilings.size() == 1);
}

TEST_CASE("the plan is the same on every rank") {
    test::on_ranks([](comm::Communicator& world) {
        const auto run = run_of_models(3);
        const auto keys = score_keys(make_plan(run, test::small_facts(run), {}));
        REQUIRE(keys.size() == 12);
        for (const auto& other : comm::gather_records(world, keys)) CHECK(other == keys);
    });
}

TEST_CASE("the shards of a run are disjoint and together all of it") {
    const auto run = run_of_models(20);
    auto facts = test::small_facts(run);
    facts.models[{"model7", ""}].failure =
        core::Failure{core::FailureClass::deterministic, "model7.nc: is missing"};
    const auto all = make_plan(run, facts, {});
    for (const std::size_t count : {1, 2, 7}) {
        std::multiset<std::string> keys;
        std::size_t impossible = 0;
        std::size_t largest = 0;
        for (std::size_t index = 0; index < count; ++index) {
            const auto part = make_plan(run, facts, {index, count});
            const auto some = score_keys(part);
            keys.insert(some.begin(), some.end());
            impossible += part.impossible.size();
            largest = std::max(largest, part.units.size());
            CHECK(part.ceilings.size() == (part.units.empty() ? 0 : 1));
        }
        const auto wanted = score_keys(all);
        CHECK(keys == std::multiset<std::string>(wanted.begin(), wanted.end()));
        CHECK(impossible == 2);
        CHECK((count == 1 || largest < 19));
    }
}

TEST_CASE("every shard has a like part of the cost, and the first one the longest unit") {
    const auto run = run_of_models(7);
    auto facts = test::small_facts(run);
    facts.datasets["small"].stimuli = 10;
    for (std::size_t i = 0; i < 7; ++i)
        facts.models[{"model" + std::to_string(i), ""}].weight_bytes =
            std::vector<double>{1, 5, 2, 16, 3, 4, 1}[i];
    // 16 | 5 + 2 + 1 | 4 + 3 + 1
    const auto models_of = [&](std::size_t index) {
        std::vector<std::size_t> models;
        for (const auto& unit : make_plan(run, facts, {index, 3}).units)
            models.push_back(unit.model);
        return models;
    };
    CHECK(models_of(0) == std::vector<std::size_t>{3});
    CHECK(models_of(1) == std::vector<std::size_t>{1, 2, 0});
    CHECK(models_of(2) == std::vector<std::size_t>{5, 4, 6});
}

TEST_CASE("a damaged file moves no other unit, and one shard records it") {
    const auto run = run_of_models(9);
    auto facts = test::small_facts(run);
    facts.datasets["small"].stimuli = 10;
    for (std::size_t i = 0; i < 9; ++i)
        facts.models[{"model" + std::to_string(i), ""}].weight_bytes =
            1000.0 + 7.0 * double(i * i % 5);
    auto damaged = facts;
    damaged.models[{"model4", ""}].failure =
        core::Failure{core::FailureClass::deterministic, "model4.nc: is damaged"};
    std::size_t impossible = 0;
    for (std::size_t index = 0; index < 4; ++index) {
        const auto part = make_plan(run, damaged, {index, 4});
        impossible += part.impossible.size();
        std::vector<std::size_t> models, expected;
        for (const auto& unit : part.units) models.push_back(unit.model);
        for (const auto& unit : make_plan(run, facts, {index, 4}).units)
            if (unit.model != 4) expected.push_back(unit.model);
        CHECK(models == expected);
    }
    CHECK(impossible == 2);
}

TEST_CASE("models that share activations are in one shard") {
    const auto run = run_of_models(4);
    auto facts = test::small_facts(run);
    facts.models[{"model2", ""}].content_key = facts.models[{"model0", ""}].content_key;
    for (std::size_t index = 0; index < 3; ++index) {
        std::set<std::size_t> models;
        for (const auto& unit : make_plan(run, facts, {index, 3}).units) models.insert(unit.model);
        CHECK(models.count(0) == models.count(2));
    }
}

TEST_CASE("models with equal weights make activations together, but their scores differ") {
    const auto run = run_of_models(2);
    auto facts = test::small_facts(run);
    facts.models[{"model1", ""}].content_key = facts.models[{"model0", ""}].content_key;
    const auto plan = make_plan(run, facts, {});
    REQUIRE(plan.units.size() == 2);
    CHECK(plan.units[0].key == plan.units[1].key);
    CHECK(plan.units[0].id != plan.units[1].id);  // a death of one is not the other's
    CHECK(plan.units[0].scores[0].key != plan.units[1].scores[0].key);
}

TEST_CASE("the longest unit comes first") {
    const auto run = run_of_models(3);
    auto facts = test::small_facts(run);
    facts.datasets["small"].stimuli = 10;
    facts.models[{"model1", ""}].weight_bytes = 5000;
    const auto plan = make_plan(run, facts, {});
    REQUIRE(plan.units.size() == 3);
    CHECK(plan.units[0].model == 1);
    CHECK(plan.units[1].model == 0);
    CHECK(plan.units[2].model == 2);
}

TEST_CASE("committed layers are concatenated to one score") {
    const auto run = network_run();
    const auto plan = make_plan(run, network_facts(run), {});
    REQUIRE(plan.units.size() == 1);
    REQUIRE(plan.units[0].scores.size() == 2);
    CHECK(plan.units[0].scores[0].layers == config::LayerSet{"b", "c"});
    CHECK(plan.units[0].scores[0].committed);
    CHECK(pipeline::planned_record(run, plan.units[0], plan.units[0].scores[0]).layer == "b+c");
}

TEST_CASE("candidate, all and listed layers are scored apart") {
    auto run = network_run();
    auto facts = network_facts(run);
    const auto layers = [&] {
        std::vector<std::string> texts;
        const auto plan = make_plan(run, facts, {});
        for (const auto& score : plan.units.at(0).scores)
            if (score.benchmark == 0) texts.push_back(pipeline::layer_text(score.layers));
        return texts;
    };
    run.layers = LayerChoice::candidates;
    CHECK(layers() == std::vector<std::string>{"a", "b", "c"});
    run.layers = LayerChoice::all;
    facts.models[{"stored", ""}].layers = {"a", "b", "c", "logits"};
    CHECK(layers() == std::vector<std::string>{"a", "b", "c", "logits"});
    run.layers = LayerChoice::listed;
    run.listed_layers["stored"] = {{"c"}, {"b", "c"}};
    CHECK(layers() == std::vector<std::string>{"c", "b+c"});
    const auto plan = make_plan(run, facts, {});
    CHECK_FALSE(plan.units[0].scores[0].committed);
    CHECK(plan.units[0].scores[1].committed);
}

TEST_CASE("scores whose inputs cannot be used are recorded with the reason") {
    auto run = network_run();
    auto facts = network_facts(run);
    const auto reason = [&] {
        const auto plan = make_plan(run, facts, {});
        CHECK(plan.units.empty());
        REQUIRE(plan.impossible.size() == 2);
        CHECK(plan.impossible[0].status == core::ScoreStatus::failed);
        CHECK(plan.impossible[0].benchmark == "small-pls");
        CHECK(plan.impossible[0].key != plan.impossible[1].key);
        return plan.impossible[0].failure.value().reason;
    };
    facts.models[{"stored", ""}].failure =
        core::Failure{core::FailureClass::deterministic, "weights.ts: is missing"};
    CHECK(reason() == "weights.ts: is missing");
    facts = network_facts(run);
    facts.datasets["small"].failure =
        core::Failure{core::FailureClass::deterministic, "recordings.nc: is damaged"};
    CHECK(reason() == "recordings.nc: is damaged");
    facts = network_facts(run);
    facts.models[{"stored", ""}].other_stimuli = {{"small", "features.h5: other degrees"}};
    CHECK(reason() == "features.h5: other degrees");
    facts = network_facts(run);
    facts.models[{"stored", ""}].other_stimuli = {{"other", "features.h5: other degrees"}};
    CHECK(make_plan(run, facts, {}).impossible.empty());
    facts = network_facts(run);
    facts.datasets["small"].stimuli_key.clear();
    CHECK_THAT(reason(), Catch::StartsWith("dataset.toml: the dataset has no stimuli"));
    facts = network_facts(run);
    run.models[0].regions.clear();
    CHECK_THAT(reason(), Catch::StartsWith("stored.toml: no layers to score for region 'IT'") &&
                             Catch::Contains("layers = \"candidates\""));
}

TEST_CASE("the scores of a wrong benchmark fail, and it moves no unit") {
    auto run = run_of_models(2);
    const auto facts = test::small_facts(run);
    const auto right = make_plan(run, facts, {});
    benchmarks::BenchmarkRecord wrong;
    wrong.identifier = "wrong";
    wrong.origin = wrong.problem = "wrong.toml";
    run.benchmarks.insert(run.benchmarks.begin(), wrong);
    const auto plan = make_plan(run, facts, {});
    CHECK(score_keys(plan) == score_keys(right));
    REQUIRE(plan.impossible.size() == 2);
    CHECK(plan.impossible[0].model == "model0");
    CHECK(plan.impossible[1].model == "model1");
    CHECK(plan.impossible[0].key != plan.impossible[1].key);
    for (const auto& record : plan.impossible) {
        CHECK(record.benchmark == "wrong");
        CHECK(record.failure.value().reason == "wrong.toml");
    }
}

TEST_CASE("features by dataset are scored on the benchmarks of theirs alone") {
    auto run = run_by_dataset();
    auto facts = test::small_facts(run);
    facts.models.at({"stored", "other"}).content_key = "others";
    auto plan = make_plan(run, facts, {});
    CHECK(plan.impossible.empty());
    REQUIRE(plan.units.size() == 2);
    for (const auto& unit : plan.units) {
        CHECK(run.models[unit.model].dataset == unit.dataset);
        REQUIRE(unit.scores.size() == 2);  // of two layers
        for (const auto& score : unit.scores)
            CHECK(run.benchmarks[score.benchmark].dataset == unit.dataset);
    }
    CHECK(plan.units[0].key != plan.units[1].key);
    CHECK(plan.units[0].id != plan.units[1].id);
    facts.models.at({"stored", "other"}) = facts.of(run.models[0]);  // the same file
    plan = make_plan(run, facts, {});
    REQUIRE(plan.units.size() == 2);
    CHECK(plan.units[0].key == plan.units[1].key);
    CHECK(plan.units[0].id != plan.units[1].id);
    run.benchmarks.emplace_back().identifier = "wrong";
    run.benchmarks.back().problem = "wrong.toml";
    plan = make_plan(run, facts, {});
    CHECK(plan.units.size() == 2);
    REQUIRE(plan.impossible.size() == 1);
    CHECK(plan.impossible[0].model == "stored");
    CHECK(plan.impossible[0].benchmark == "wrong");
}

TEST_CASE("features by dataset have the layers of all files, and fail where one is not there") {
    auto run = run_by_dataset();
    auto facts = test::small_facts(run);
    facts.models.at({"stored", "small"}).layers = {"a", "b"};
    facts.models.at({"stored", "other"}).layers = {"b", "c"};
    CHECK(pipeline::known_layers(run, facts, run.models[1]) ==
          std::vector<std::string>{"a", "b", "c"});
    const auto plan = make_plan(run, facts, {});
    REQUIRE(plan.units.size() == 2);
    for (const auto& unit : plan.units) CHECK(unit.scores.size() == 2);
    REQUIRE(plan.impossible.size() == 2);
    CHECK(plan.impossible[0].layer == "c");
    CHECK(plan.impossible[1].layer == "a");
    CHECK_THAT(plan.impossible[0].failure.value().reason, Catch::Contains("no layer 'c'"));
    run.layers = LayerChoice::committed;
    for (const auto& record : make_plan(run, facts, {}).impossible) {
        CHECK(record.layer == "a+b+c");
        CHECK(record.committed);
    }
}

TEST_CASE("a layer that stored features lack fails its own scores") {
    auto run = test::small_run("nowhere");
    run.layers = LayerChoice::listed;
    run.listed_layers["stored"] = {{"narrow"}, {"narrow", "wade"}};
    const auto plan = make_plan(run, test::small_facts(run), {});
    REQUIRE(plan.units.size() == 1);
    CHECK(plan.units[0].layers == config::LayerSet{"narrow"});
    CHECK(plan.units[0].scores.size() == 2);
    REQUIRE(plan.impossible.size() == 2);
    CHECK(plan.impossible[0].layer == "narrow+wade");
    CHECK_THAT(plan.impossible[0].failure.value().reason,
               Catch::Contains("no layer 'wade'") && Catch::Contains("'wide'"));
}

TEST_CASE("a PCA needs as many images as components, of stored features as many presentations") {
    auto run = test::small_run("nowhere");
    auto facts = test::small_facts(run);
    const auto plain = score_keys(make_plan(run, facts, {}));
    run.models[0].pca = models::PcaRecord{10, "", {"photos.nc", ""}};
    facts.models[{"stored", ""}].fitting_key = "photos";
    facts.models[{"stored", ""}].fitting_rows = 10;
    const auto plan = make_plan(run, facts, {});
    REQUIRE(plan.units.size() == 1);
    CHECK(plan.units[0].projection == pipeline::projection_key(run.models[0], "photos"));
    CHECK(score_keys(plan) != plain);
    facts.models[{"stored", ""}].fitting_rows = 9;
    CHECK(make_plan(run, facts, {}).impossible.at(0).failure.value().reason ==
          "stored.toml: [pca] has n_components = 10, but photos.nc has 9 presentations (a PCA has "
          "at most as many components as images) set fewer components or name more images");
    facts.models[{"stored", ""}].in_time = true;
    facts.models[{"stored", ""}].fitting_rows = 40'000;
    CHECK(make_plan(run, facts, {}).impossible.at(0).failure.value().reason ==
          "stored.toml: [pca] cannot be fitted, photos.nc has 40000 presentations, each time bin "
          "for itself (at most 32000 "
          "can be) name fewer");
}

TEST_CASE("the PCA of a network in time needs as many images in all time bins as components") {
    auto run = network_run();
    auto facts = network_facts(run);
    run.models[0].pca = models::PcaRecord{81, "small"};
    run.models[0].time = {1, {{0, 50}, {50, 100}}};
    CHECK_THAT(make_plan(run, facts, {}).impossible.at(0).failure.value().reason,
               Catch::Contains("dataset 'small' has 40 images in 2 time bins"));
    run.models[0].pca->components = 80;
    CHECK(make_plan(run, facts, {}).impossible.empty());
}

TEST_CASE("a network has a unit for each number of trials that it answers differently in") {
    auto run = network_run();
    run.benchmarks[0].number_of_trials = 5;
    const auto facts = network_facts(run);
    SECTION("one without variance is asked once") {
        const auto plan = make_plan(run, facts, {});
        REQUIRE(plan.units.size() == 1);
        CHECK(plan.units[0].trials == 1);
        CHECK(plan.units[0].scores.size() == 2);
    }
    SECTION("the model or the benchmark may require variance") {
        const auto one = make_plan(run, facts, {}).units[0];
        (GENERATE(false, true) ? run.models[0].require_variance
                               : run.benchmarks[0].require_variance) = true;
        const auto plan = make_plan(run, facts, {});
        REQUIRE(plan.units.size() == 2);
        CHECK(plan.units[0].trials == 5);
        CHECK(plan.units[0].cost == 5 * plan.units[1].cost);
        CHECK(plan.units[0].key != one.key);
        CHECK(plan.units[0].scores.at(0).key != one.scores.at(0).key);
        CHECK(plan.units[1].key == one.key);
        CHECK(plan.units[1].scores.at(0).key == one.scores.at(1).key);
    }
    SECTION("stored features cannot have it") {
        run.models[0].features.path = "features.nc";
        run.benchmarks[0].require_variance = true;
        auto facts_of_features = facts;
        facts_of_features.models[{"stored", ""}].layers = {"b", "c"};
        const auto plan = make_plan(run, facts_of_features, {});
        REQUIRE(plan.impossible.size() == 1);
        CHECK_THAT(plan.impossible[0].failure->reason,
                   Catch::Contains("stored features are the same in every trial") &&
                       Catch::Contains("'small-pls'"));
        CHECK(plan.units.at(0).scores.size() == 1);
    }
}

TEST_CASE("a benchmark that is not supported ends the plan") {
    auto run = test::small_run("nowhere");
    run.benchmarks[0].time_bins = {{0, 70}, {70, 170}};
    CHECK_THROWS_AS(make_plan(run, test::small_facts(run), {}), core::InputError);
}

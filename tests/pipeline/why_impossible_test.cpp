#include "pipeline/plan/why_impossible.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/small_plans.hpp"

using namespace ventral;
using config::LayerChoice;
using pipeline::make_plan;
using test::network_facts;
using test::network_run;
using test::run_of_models;
using test::score_keys;

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

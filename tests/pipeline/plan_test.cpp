#include "pipeline/plan/plan.hpp"

#include <set>

#include <catch2/catch.hpp>

#include "comm/records.hpp"
#include "core/errors.hpp"
#include "pipeline/small_plans.hpp"
#include "support/ranks.hpp"

using namespace ventral;
using pipeline::make_plan;
using test::network_facts;
using test::network_run;
using test::run_by_dataset;
using test::run_of_models;
using test::score_keys;

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

TEST_CASE("a byte of a network, which meets every image, costs more than one of stored features") {
    auto run = network_run();
    auto facts = network_facts(run);
    const double of_network = make_plan(run, facts, {}).units.at(0).cost;
    run.models[0].features.path = "features.nc";
    facts.models[{"stored", ""}].layers = {"b", "c"};
    const double of_features = make_plan(run, facts, {}).units.at(0).cost;
    CHECK(of_features > 0);
    CHECK(of_features < of_network);
}

TEST_CASE("a benchmark that is not supported ends the plan") {
    auto run = test::small_run("nowhere");
    run.benchmarks[0].time_bins = {{0, 70}, {70, 170}};
    CHECK_THROWS_AS(make_plan(run, test::small_facts(run), {}), core::InputError);
}

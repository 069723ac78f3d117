#include "pipeline/plan/chosen_layers.hpp"

#include <catch2/catch.hpp>

#include "pipeline/small_plans.hpp"

using namespace ventral;
using config::LayerChoice;
using pipeline::make_plan;
using test::network_facts;
using test::network_run;
using test::run_by_dataset;

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

#include "pipeline/plan/shards.hpp"

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "pipeline/small_plans.hpp"

using namespace ventral;
using pipeline::deal_shards;
using pipeline::make_plan;
using test::run_of_models;
using test::score_keys;

using Numbers = std::vector<std::size_t>;

TEST_CASE("the longest go to the first shards, and each next one to the least loaded") {
    // 7 → 0, 6 → 1, 5 → 2; 4 → 2 (9), 3 → 1 (9), 2 → 0 (9)
    CHECK(deal_shards({4, 7, 2, 5, 6, 3}, 3) == Numbers{2, 0, 0, 2, 1, 1});
}

TEST_CASE("one long piece has a shard of its own, and the others share the rest") {
    CHECK(deal_shards({1, 1, 100, 1, 1, 1, 1}, 3) == Numbers{1, 2, 0, 1, 2, 1, 2});
}

TEST_CASE("equal pieces are dealt in turn, in the order that they are named in") {
    CHECK(deal_shards({3, 3, 3, 3, 3}, 2) == Numbers{0, 1, 0, 1, 0});
    CHECK(deal_shards({0, 0, 0, 0}, 2) == Numbers{0, 1, 0, 1});
}

TEST_CASE("a piece of unknown cost counts as the mean of the known ones") {
    // Known: 6 and 2, mean 4. 6 → 0; 4 → 1; 4 → 1 (8); 2 → 0 (8)
    CHECK(deal_shards({0, 6, 0, 2}, 2) == Numbers{1, 0, 1, 0});
}

TEST_CASE("more shards than pieces leave the last ones empty") {
    CHECK(deal_shards({1, 2}, 1000000000000) == Numbers{1, 0});
    CHECK(deal_shards({}, 3).empty());
}

TEST_CASE("a key has one shard") {
    CHECK(pipeline::hashed_shard("00000000000000ff", 16) == 15);  // 15 digits: 0xf
    CHECK(pipeline::hashed_shard("00000000000001000", 7) == 2);   // 0x10 = 16
}

TEST_CASE("a shard is i/n, counted from 0") {
    const auto shard = pipeline::parse_shard("3/16");
    CHECK(shard.index == 3);
    CHECK(shard.count == 16);
    for (const char* wrong :
         {"", "3", "/", "3/", "/3", "3/3", "4/3", "-1/3", "0/0", "a/b", "1/2/3", "1.5/3"})
        CHECK_THROWS_WITH(pipeline::parse_shard(wrong),
                          Catch::Contains("--shard: '" + std::string(wrong) + "'"));
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

#include "leaderboard/model_ranking.hpp"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using leaderboard::rank_models;

namespace {

core::ScoreRecord score(const std::string& model, const std::string& benchmark,
                        const std::string& parent, std::optional<double> value) {
    auto record = test::scored(model + benchmark, model, benchmark);
    record.parent = parent;
    record.value = value;
    return record;
}

}  // namespace

TEST_CASE("a parent's average is the mean of what is in it, at each depth") {
    const auto ranking =
        rank_models({score("m", "a", "all/neural/V1", 0.25), score("m", "b", "all/neural/V1", 0.75),
                     score("m", "c", "all/neural", 0.25), score("m", "d", "all/behaviour", 1.0)});
    CHECK(ranking.parents == std::vector<std::string>{"behaviour", "neural"});
    CHECK(ranking.benchmarks == 4);
    REQUIRE(ranking.models.size() == 1);
    CHECK(ranking.models[0].means == std::vector<std::optional<double>>{1.0, 0.375});
    CHECK(ranking.models[0].average == 0.6875);
    CHECK(ranking.models[0].missing == 0);
}

TEST_CASE("a score that was computed again counts once, as it is now") {
    auto before = score("m", "a", "neural", 0.25);
    auto now = score("m", "a", "neural", 0.75);
    before.provenance["recorded"] = "2026-01-01T00:00:00Z";
    now.provenance["recorded"] = "2026-01-02T00:00:00Z";
    auto failed = test::failed("m a", "m", "a");
    failed.parent = "neural";
    const auto ranking = rank_models({now, before, failed});
    REQUIRE(ranking.models.size() == 1);
    CHECK(ranking.models[0].average == 0.75);
    CHECK(ranking.benchmarks == 1);
}

TEST_CASE("a benchmark counts once, by its newest version, and under that one's parent") {
    auto changed = score("m", "b", "neural", 0.5);
    changed.version = 2;
    const auto ranking =
        rank_models({score("m", "a", "neural", 0.25), changed, score("retired", "a", "neural", 0.5),
                     score("retired", "b", "behaviour", 0.75), score("old", "b", "neural", 0.75)});
    CHECK(ranking.benchmarks == 2);
    REQUIRE(ranking.models.size() == 3);
    CHECK(ranking.models[2].model == "old");
    CHECK(ranking.models[2].average == std::nullopt);
    CHECK(ranking.models[2].missing == 2);
    CHECK(ranking.models[0].model == "m");
    CHECK(ranking.models[0].average == 0.375);
    CHECK(ranking.models[0].missing == 0);
    CHECK(ranking.models[1].average == 0.25);
    CHECK(ranking.models[1].missing == 1);
}

// Rows of the table of https://brain-score.org/language, where X is a missing score.
TEST_CASE("a missing score counts as 0, beside others") {
    const auto ranking = rank_models(
        {score("row 14", "n", "neural", std::nullopt), score("row 14", "b", "behavior", {}),
         score("row 11", "n", "neural", 0.332), score("row 11", "b", "behavior", std::nullopt),
         score("row 4", "n", "neural", 0.948), score("row 4", "b", "behavior", 0.331)});
    CHECK(ranking.parents == std::vector<std::string>{"behavior", "neural"});
    REQUIRE(ranking.models.size() == 3);
    CHECK(ranking.models[0].model == "row 4");
    CHECK(ranking.models[0].average.value() == Approx(0.639).margin(0.0006));
    CHECK(ranking.models[1].model == "row 11");
    CHECK(ranking.models[1].average.value() == Approx(0.166));
    CHECK(ranking.models[1].means[0] == std::nullopt);
    CHECK(ranking.models[1].missing == 1);
    CHECK(ranking.models[2].model == "row 14");
    CHECK(ranking.models[2].average == std::nullopt);
    CHECK(ranking.models[2].missing == 2);
}

TEST_CASE("a benchmark that a model has no record of is missing, and NaN is no score") {
    const auto ranking = rank_models(
        {score("m", "a", "", 0.5), score("m", "b", "", 0.25), score("n", "a", "", 0.5),
         score("o", "a", "", 0.9), score("o", "b", "", std::numeric_limits<double>::quiet_NaN())});
    CHECK(ranking.parents.empty());
    REQUIRE(ranking.models.size() == 3);
    CHECK(ranking.models[0].model == "o");
    CHECK(ranking.models[0].average == 0.45);
    CHECK(ranking.models[0].missing == 1);
    CHECK(ranking.models[1].average == 0.375);
    CHECK(ranking.models[2].average == 0.25);
    CHECK(ranking.models[2].missing == 1);
}

TEST_CASE("several records on one benchmark count as their mean, equal averages by name") {
    auto other = score("n", "a", "", 0.25);
    other.layer = "another";
    const auto ranking = rank_models({score("n", "a", "", 0.75), other, score("m", "a", "", 0.5)});
    REQUIRE(ranking.models.size() == 2);
    CHECK(ranking.benchmarks == 1);
    CHECK(ranking.models[0].model == "m");
    CHECK(ranking.models[1].model == "n");
    CHECK(ranking.models[1].average == 0.5);
}

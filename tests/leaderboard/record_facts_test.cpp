#include "leaderboard/record_facts.hpp"

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using test::scored;

TEST_CASE("a score without a layer is named by model and benchmark") {
    auto record = scored("k", "m", "b");
    record.layer = "l";
    CHECK(leaderboard::score_name(record) == "model m on benchmark b, layer l");
    record.layer.clear();
    CHECK(leaderboard::score_name(record) == "model m on benchmark b");
}

TEST_CASE("the latest record of a name counts, of one time the last one, if it counts at all") {
    std::vector<core::ScoreRecord> records;
    for (const auto& [key, time] :
         {std::pair{"old", "1"}, {"new", "3"}, {"last", "3"}, {"b", ""}, {"left out", "4"}}) {
        records.push_back(scored(key, "m", std::string(key) == "b" ? "b" : "a"));
        records.back().provenance["recorded"] = time;
    }
    const auto latest = leaderboard::latest_of_each_name(
        records, [](const auto& record) { return record.key != "left out"; });
    REQUIRE(latest.size() == 2);
    CHECK(latest.at("model m on benchmark a, layer features.5")->key == "last");
    CHECK(latest.at("model m on benchmark b, layer features.5")->key == "b");
}

#include "leaderboard/planned_scores.hpp"

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using test::failed;
using test::scored;
using Records = std::vector<core::ScoreRecord>;

namespace {

core::ScoreRecord at(const std::string& time, core::ScoreRecord record) {
    record.provenance["recorded"] = time;
    return record;
}

core::ScoreRecord open(const std::string& key, const std::string& model) {
    auto record = scored(key, model, "b");
    record.status = core::ScoreStatus::pending;
    record.value.reset();
    return record;
}

/// "key status " of what is left.
std::string left(Records records, const Records& planned, const Records& listed = {}) {
    leaderboard::Night night;
    night.records = std::move(records);
    leaderboard::take_planned(night, planned, listed);
    std::string text;
    for (const auto& record : night.records)
        text += record.key + " " + core::name_of(record.status) + " ";
    return text;
}

Records three_scores() {
    return {scored("k1", "m", "b"), failed("k2", "n", "b"), scored("k3", "x", "b")};
}

const std::string morning = "2026-11-21T08:00:00.000Z";
const std::string noon = "2026-11-21T12:00:00.000Z";

}  // namespace

TEST_CASE("of what is planned only the planned scores stay, the open ones as pending") {
    CHECK(left({scored("old", "m", "b"), scored("now", "m", "b")}, {open("now", "m")}) ==
          "now scored ");
    CHECK(left({scored("old", "m", "b")}, {open("now", "m"), open("other", "n")}) ==
          "now pending other pending ");
    CHECK(left({failed("now", "m", "b")}, {open("now", "m")}) == "now failed ");
}

TEST_CASE("a score that the plan calls impossible is pending until it is recorded so") {
    leaderboard::Night night;
    leaderboard::take_planned(night, {failed("f", "m", "b")}, {});
    REQUIRE(night.records.size() == 1);
    CHECK(night.records[0].status == core::ScoreStatus::pending);
    CHECK_FALSE(night.records[0].failure);
}

TEST_CASE("planned scores have the plan's place on the leaderboard") {
    auto planned = open("now", "m");
    planned.committed = true;
    planned.region = "IT";
    auto before = scored("now", "m", "b");
    before.committed = false;
    before.region = "V4";
    leaderboard::Night night;
    night.records = {before};
    leaderboard::take_planned(night, {planned}, {});
    CHECK(night.records.at(0).committed);
    CHECK(night.records.at(0).region == "IT");
}

TEST_CASE("scores that are not planned keep the place that the tables list") {
    auto listed = scored("s", "m", "b");
    listed.committed = false;
    listed.parent = "moved";
    leaderboard::Night night;
    night.records = {scored("s", "m", "b")};
    leaderboard::take_planned(night, {open("other", "n")}, {listed});
    REQUIRE(night.records.size() == 2);
    CHECK(night.records[0].key == "s");
    CHECK(night.records[0].parent == "moved");
    CHECK_FALSE(night.records[0].committed);
}

TEST_CASE("a score that is lost is pending, without anything of what it was") {
    leaderboard::Night night;
    leaderboard::take_planned(night, {}, {scored("lost", "m", "b")});
    REQUIRE(night.records.size() == 1);
    const auto& lost = night.records[0];
    CHECK(lost.status == core::ScoreStatus::pending);
    CHECK_FALSE((lost.value || lost.error || lost.raw_value || lost.ceiling));
    CHECK(lost.provenance.empty());
    CHECK(lost.layer == "features.5");
    CHECK(lost.region == "V4");
    CHECK(lost.committed);
}

TEST_CASE("what is open is forgotten when the run file that asked for it does not any more") {
    auto withdrawn = open("open", "m");
    withdrawn.provenance[core::config_entry] = "night.toml";
    const auto left_of = [&](const std::optional<std::string>& all_of) {
        leaderboard::Night night;
        night.records = {scored("done", "m", "b")};
        leaderboard::take_planned(night, {}, {withdrawn, scored("done", "m", "b")}, all_of);
        std::string text;
        for (auto& record : night.records)
            text += record.key + " " + record.provenance[core::config_entry] + " ";
        return text;
    };
    CHECK(left_of(std::nullopt) == "done  open night.toml ");
    CHECK(left_of("another.toml") == "done  open night.toml ");
    CHECK(left_of("night.toml") == "done  ");
}

TEST_CASE("of what is not planned the latest stays, however often it has changed") {
    const Records records = {at(noon, scored("late", "x", "b")),
                             at(morning, scored("early", "x", "b")), scored("oldest", "x", "b")};
    CHECK(left(records, {}) == "late scored ");
    CHECK(left({at(morning, scored("s", "x", "b")), at(noon, failed("f", "x", "b"))}, {}) ==
          "f failed s scored ");
}

TEST_CASE("of what is not planned the tables know what is current") {
    const Records records = {at(noon, scored("late", "x", "b")),
                             at(morning, scored("early", "x", "b")), scored("s", "y", "b")};
    CHECK(left(records, {}, {scored("early", "x", "b")}) == "early scored s scored ");
    // Of a run that was stopped, and then.
    CHECK(left(records, {}, {open("next", "x")}) == "next pending s scored ");
    CHECK(left({scored("old", "x", "b"), scored("next", "x", "b")}, {}, {open("next", "x")}) ==
          "next scored ");
    CHECK(left(records, {open("newest", "x")}, {open("next", "x")}) == "newest pending s scored ");
    // Of a segment that is lost.
    CHECK(left(records, {}, {scored("lost", "z", "b"), failed("f", "z", "b")}) ==
          "late scored s scored lost pending ");
    // Tables that have both.
    CHECK(left(records, {}, {scored("early", "x", "b"), scored("late", "x", "b")}) ==
          "late scored s scored ");
}

TEST_CASE("only listed scores stay, at the place that the list has") {
    auto records = three_scores();
    auto listed = scored("k3", "x", "b");
    listed.parent = "elsewhere";
    listed.committed = false;
    leaderboard::keep_listed(records, {listed, scored("never", "m", "b")});
    REQUIRE(records.size() == 2);
    CHECK(records[0].key == "never");
    CHECK(records[0].status == core::ScoreStatus::pending);
    CHECK_FALSE(records[0].value);
    CHECK(records[1].key == "k3");
    CHECK(records[1].parent == "elsewhere");
    CHECK_FALSE(records[1].committed);
    CHECK(records[1].value == three_scores()[2].value);
    leaderboard::keep_listed(records, {listed, open("open", "m")});
    REQUIRE(records.size() == 2);
    CHECK(records[0].key == "open");
    CHECK(records[1].key == "k3");
}

TEST_CASE("listed scores take the place that the list has, all others stay where they are") {
    auto records = three_scores();
    const auto before = records;
    auto listed = scored("k3", "x", "b");
    listed.parent = "elsewhere";
    listed.committed = false;
    auto without_place = scored(before.front().key, "m", "b");
    without_place.parent = without_place.region = "";
    without_place.committed = !before.front().committed;
    leaderboard::take_listed_places(records, {listed, without_place});
    REQUIRE(records.size() == before.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
        const bool is_listed = before[i].key == "k3";
        CHECK(records[i].parent == (is_listed ? "elsewhere" : before[i].parent));
        CHECK(records[i].committed == (!is_listed && before[i].committed));
    }
}

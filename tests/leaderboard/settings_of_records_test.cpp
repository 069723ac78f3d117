#include "leaderboard/settings_of_records.hpp"

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using leaderboard::other_settings;

namespace {

core::ScoreRecord of_settings(const std::string& settings, core::ScoreRecord record) {
    record.provenance[leaderboard::settings_entry] = settings;
    return record;
}

}  // namespace

TEST_CASE("settings are one text, none of them is one too") {
    CHECK(leaderboard::settings_text({}) == "none");
    CHECK(leaderboard::settings_text({"metric.splits=3", "seed=1"}) == "metric.splits=3; seed=1");
}

TEST_CASE("records of runs with other settings are warned of, but for those that are planned") {
    const std::vector<core::ScoreRecord> records = {
        of_settings("none", test::scored("own", "m", "b")),
        of_settings("metric.splits=3", test::scored("planned", "m", "b")),
        of_settings("metric.splits=2", test::scored("other", "m", "c")),
        of_settings("seed=1", test::scored("another", "m", "d")),
        test::scored("older", "m", "e")};
    CHECK(other_settings(records, {"planned"}, "none") ==
          "2 scores in the tables are of runs with another --set (metric.splits=2, this run: none) "
          "give a run with other settings a folder of its own");
    CHECK_FALSE(other_settings(records, {"planned", "other", "another"}, "none"));
    CHECK_FALSE(other_settings({}, {}, "none"));
}

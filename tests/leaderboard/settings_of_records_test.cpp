#include "leaderboard/settings_of_records.hpp"

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;
using leaderboard::mixed_settings;

namespace {

core::ScoreRecord of_settings(const std::string& settings, core::ScoreRecord record) {
    record.provenance[leaderboard::settings_entry] = settings;
    return record;
}

}  // namespace

TEST_CASE("settings are one text whatever their order, none of them is one too") {
    CHECK(leaderboard::settings_text({}) == "none");
    CHECK(leaderboard::settings_text({"seed=1", "metric.splits=3"}) == "metric.splits=3; seed=1");
}

TEST_CASE("records of runs with different settings are warned of, with how many each has") {
    const std::vector<core::ScoreRecord> records = {
        of_settings("metric.splits=3", test::scored("planned", "m", "b")),
        of_settings("metric.splits=2", test::scored("other", "m", "c")),
        of_settings("metric.splits=2", test::scored("another", "m", "d")),
        test::scored("older", "m", "e")};
    CHECK(mixed_settings(records, {"planned"}, "none") ==
          "the tables mix scores of runs with different --set (metric.splits=2: 2 scores, none: 1 "
          "score) give a run with other settings a folder of its own");
    CHECK_THAT(mixed_settings(records).value_or(""),
               Catch::Contains("(metric.splits=2: 2 scores, metric.splits=3: 1 score)"));
}

TEST_CASE("records of one settings are not warned of, nor those that the run has planned") {
    const std::vector<core::ScoreRecord> records = {
        of_settings("none", test::scored("a", "m", "b")),
        of_settings("seed=0", test::scored("planned", "m", "c")), test::scored("older", "m", "d")};
    CHECK(mixed_settings(records));
    CHECK_FALSE(mixed_settings(records, {"planned"}, "none"));
    CHECK_FALSE(mixed_settings({}));
}

#include "leaderboard/written_tables.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "core/where_and_when.hpp"
#include "leaderboard/hand_made_records.hpp"
#include "leaderboard/night_diff.hpp"
#include "leaderboard/planned_scores.hpp"
#include "leaderboard/write_leaderboard.hpp"
#include "support/no_descriptor_left.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using test::failed;
using test::scored;

namespace {

std::vector<core::ScoreRecord> night() {
    auto third = scored("k3", "m,\"x\"", "b");
    third.value = 0.1 + 0.2;
    third.ceiling->error.reset();
    return {scored("k1", "m", "b"), failed("k2", "n", "b"), third};
}

std::size_t unchanged_since(const std::string& folder) {
    const auto diff = leaderboard::night_diff(leaderboard::earlier_scores(folder), night());
    CHECK(diff.changes.empty());
    return diff.unchanged;
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("what tables say is read back from JSON, from CSV alone, and from a journal") {
    const test::TemporaryFolder folder;
    const auto out = folder.path().string();
    leaderboard::write_leaderboard(
        out, {.records = night(), .labels = {}, .journal_of = {}, .warnings = {}, .conflicts = {}});
    CHECK(unchanged_since(out) == 3);
    std::filesystem::remove(folder.path() / "scores.json");
    CHECK(unchanged_since(out) == 3);
    std::filesystem::remove(folder.path() / "scores.csv");
    test::write_journal(out, "job", night());
    CHECK(unchanged_since(out) == 3);
}

TEST_CASE("a folder without scores, and tables that are none, are refused by name") {
    const test::TemporaryFolder folder;
    const auto out = folder.path().string();
    CHECK_THROWS_WITH(leaderboard::earlier_scores(out), Catch::Contains("has no scores"));
    write(folder.file("scores.csv"), "model,value\nm,0.5\n");
    CHECK_THROWS_WITH(leaderboard::earlier_scores(folder.file("scores.csv")),
                      Catch::Contains("is a file (the folder"));
    CHECK_THROWS_WITH(leaderboard::earlier_scores(out), Catch::Contains("no column 'benchmark'"));
    write(folder.file("scores.csv"),
          "model,benchmark,version,layer,slice,status,value,error,raw_value,ceiling,ceiling_error,"
          "key\nm,b,1,l,,scored,much,,,,,k\n");
    CHECK_THROWS_WITH(leaderboard::earlier_scores(out),
                      Catch::Contains("scores.csv:2: 'much' is no value"));
    write(folder.file("scores.csv"),
          "model,benchmark,version,layer,slice,status,value,error,raw_value,ceiling,ceiling_error,"
          "key\nm,b,4294967297,l,,scored,0.5,,,,,k\n");
    CHECK_THROWS_WITH(leaderboard::earlier_scores(out),
                      Catch::Contains("scores.csv:2: '4294967297' is no version"));
    write(folder.file("scores.json"), "[{\"key\":");
    CHECK_THROWS_AS(leaderboard::earlier_scores(out), core::InputError);
}

TEST_CASE("tables were written when their scores.json was") {
    const test::TemporaryFolder folder;
    const auto path = folder.path().string();
    CHECK(leaderboard::time_of_tables(path).empty());
    const auto before = core::time_now();
    leaderboard::Night written;
    written.records = {scored("k", "m", "b")};
    leaderboard::write_leaderboard(path, written);
    std::filesystem::last_write_time(folder.file("scores.json"),
                                     std::filesystem::file_time_type::clock::now());
    CHECK(leaderboard::time_of_tables(path) >= before);
    CHECK(leaderboard::time_of_tables(path) <= core::time_now());
}

TEST_CASE("tables that are not there, or all damaged, list nothing") {
    const test::TemporaryFolder folder;
    CHECK(leaderboard::listed_scores(folder.file("nowhere")).empty());
    std::ofstream(folder.file("scores.json")) << "{";
    CHECK(leaderboard::listed_scores(folder.path().string()).empty());
    std::ofstream(folder.file("scores.csv")) << "model\nm\n";
    CHECK(leaderboard::listed_scores(folder.path().string()).empty());
}

TEST_CASE("of listed scores names, status, place and run file are kept") {
    const test::TemporaryFolder folder;
    leaderboard::Night written;
    written.records = {scored("k", "m", "b")};
    written.records[0].provenance[core::config_entry] = "night.toml";
    leaderboard::write_leaderboard(folder.path().string(), written);
    const auto full = leaderboard::earlier_scores(folder.path().string()).at(0);
    const auto light = leaderboard::current_scores(folder.path().string()).at(0);
    CHECK(full.value.has_value());
    CHECK_FALSE(light.value.has_value());
    CHECK(light.provenance ==
          std::map<std::string, std::string>{{core::config_entry, "night.toml"}});
    for (const auto& member :
         {&core::ScoreRecord::key, &core::ScoreRecord::model, &core::ScoreRecord::benchmark,
          &core::ScoreRecord::layer, &core::ScoreRecord::parent, &core::ScoreRecord::region,
          &core::ScoreRecord::normalisation})
        CHECK(light.*member == full.*member);
    CHECK(light.version == full.version);
    CHECK(light.committed == full.committed);
    CHECK(light.status == full.status);
}

TEST_CASE("of a damaged scores.json the scores.csv beside it tells what is listed") {
    const test::TemporaryFolder folder;
    leaderboard::Night written;
    written.records = {scored("k", "m", "b")};
    leaderboard::write_leaderboard(folder.path().string(), written);
    std::ofstream(folder.file("scores.json")) << "{";
    const auto listed = leaderboard::listed_scores(folder.path().string());
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].key == "k");
    // At its own place.
    leaderboard::take_planned(written, {}, listed);
    REQUIRE(written.records.size() == 1);
    CHECK(written.records[0].region == "V4");
}

TEST_CASE("tables that cannot be read now do not pass for empty ones") {
    const test::TemporaryFolder folder;
    std::ofstream(folder.file("scores.json")) << "{}";
    const test::NoDescriptorLeft limit;
    CHECK_THROWS_AS(leaderboard::listed_scores(folder.path().string()), core::TransientError);
}

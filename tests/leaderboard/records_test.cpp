#include "leaderboard/records.hpp"

#include <cmath>
#include <filesystem>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "leaderboard/hand_made_records.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using leaderboard::read_nights;
using leaderboard::read_records;
using test::failed;
using test::scored;
using test::write_journal;

TEST_CASE("without a journal there is an empty night, and nothing to merge") {
    const test::TemporaryFolder folder;
    CHECK(read_records(folder.file("none")).records.empty());
    CHECK_THROWS_AS(read_nights({folder.file("none")}), core::InputError);
    CHECK_THROWS_WITH(read_nights({folder.file("none")}), folder.file("none") + ": no such folder");
    CHECK_THROWS_WITH(read_nights({folder.path().string()}),
                      Catch::StartsWith(folder.path().string() + ": has no journal"));
}

TEST_CASE("a done record beats a failed one of its key in any order, else the last counts") {
    const test::TemporaryFolder folder;
    const auto out = folder.path().string();
    auto later = failed("k2", "m", "c");
    later.failure->reason = "later";
    auto absent = failed("k3", "m", "d");
    absent.status = core::ScoreStatus::not_applicable;
    absent.failure = std::nullopt;
    write_journal(out, "job",
                  {scored("k1", "m", "b"), failed("k1", "m", "b"), failed("k2", "m", "c"), later,
                   absent, failed("k3", "m", "d")});
    const auto night = read_records(out);
    REQUIRE(night.records.size() == 3);
    CHECK(night.records[0].status == core::ScoreStatus::scored);
    CHECK(night.records[1].failure->reason == "later");
    CHECK(night.records[2].status == core::ScoreStatus::not_applicable);
    CHECK(night.conflicts.empty());
    CHECK(night.warnings.empty());
    CHECK(night.journal_of.at("k1") == folder.file("journal"));
}

TEST_CASE("of failed records of a key the latest counts, in whatever segment it is") {
    const test::TemporaryFolder folder;
    const auto out = folder.path().string();
    auto earlier = failed("k1", "m", "b");
    earlier.provenance["recorded"] = "2026-11-21T08:00:00.000Z";
    auto later = failed("k1", "m", "b");
    later.provenance["recorded"] = "2026-11-21T12:00:00.000Z";
    later.failure->reason = "later";
    write_journal(out, "a", {later});
    write_journal(out, "b", {failed("k1", "m", "b"), earlier});
    const auto night = read_records(out);
    REQUIRE(night.records.size() == 1);
    CHECK(night.records[0].failure->reason == "later");
}

TEST_CASE("records are sorted by benchmark, model and layer") {
    const test::TemporaryFolder folder;
    const auto out = folder.path().string();
    auto layer = scored("k2", "m", "b");
    layer.layer = "features.10";
    write_journal(out, "job",
                  {scored("k3", "n", "b"), scored("k4", "m", "b"), layer, scored("k5", "z", "a")});
    std::string keys;
    for (const auto& record : read_records(out).records) keys += record.key;
    CHECK(keys == "k5k2k4k3");
}

TEST_CASE("scores of one key are compared over jobs and nights") {
    const test::TemporaryFolder folder;
    auto other_bits = scored("k1", "m", "b");
    other_bits.value = std::nextafter(0.5, 1);
    other_bits.provenance["host"] = "h2";
    auto other_processor = other_bits;
    other_processor.provenance["fingerprint"] = "f2";
    const auto first = folder.file("first");
    const auto second = folder.file("second");
    write_journal(first, "a", {scored("k1", "m", "b")});
    write_journal(first, "b", {scored("k1", "m", "b")});
    write_journal(second, "c", {other_processor});
    CHECK(read_nights({first, second}).conflicts.empty());
    write_journal(second, "d", {other_bits, other_bits});
    const auto conflicts = read_nights({first, second}).conflicts;
    REQUIRE(conflicts.size() == 1);
    CHECK_THAT(conflicts[0],
               Catch::StartsWith("model m on benchmark b, layer features.5: value is 0.5 on host "
                                 "h1 and 0.5000000000000001 on host h2"));
}

TEST_CASE("labels are read, other kinds ignored, unreadable lines reported with their place") {
    const test::TemporaryFolder folder;
    const auto out = folder.path().string();
    io::JournalSegment segment(folder.file("journal"), "job");
    segment.append(R"({"kind":"labels","key":"L","coords":{"neuroid_id":{"values":["a","b"]}}})");
    segment.append(R"({"kind":"folds","key":"k1"})");
    segment.append(R"({"kind":"score","key":"k1"})");
    segment.append("[]");
    segment.flush();
    const auto night = read_records(out);
    CHECK(night.records.empty());
    CHECK(night.labels.at("L").front().name == "neuroid_id");
    REQUIRE(night.warnings.size() == 2);
    CHECK_THAT(night.warnings[0], Catch::Contains(".journal:3: the line is left out"));
    CHECK_THAT(night.warnings[1], Catch::Contains(".journal:4: the line is left out"));
}

TEST_CASE("keys of one name are all kept, with one warning however many they are") {
    const test::TemporaryFolder folder;
    const auto out = folder.path().string();
    write_journal(out, "job", {scored("k1", "m", "b"), scored("k2", "m", "b")});
    const auto night = read_records(out);
    CHECK(night.records.size() == 2);
    CHECK(night.warnings.empty());
    const auto warning = leaderboard::namesakes(night.records);
    REQUIRE(warning);
    CHECK_THAT(*warning, Catch::StartsWith("1 score of another key") &&
                             Catch::EndsWith("model m on benchmark b, layer features.5, keys k1 "
                                             "and k2"));
    CHECK_FALSE(leaderboard::namesakes({night.records[1]}));
    write_journal(out, "next",
                  {scored("k3", "m", "b"), scored("k4", "n", "b"), scored("k5", "n", "b"),
                   scored("k6", "o", "b")});
    CHECK_THAT(leaderboard::namesakes(read_records(out).records).value(),
               Catch::StartsWith("3 scores of another key") && Catch::EndsWith("k1 and k2, …"));
}

#include "pipeline/journal/finished.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/where_and_when.hpp"
#include "io/journal/journal.hpp"
#include "pipeline/journal_output.hpp"

using namespace ventral;
using core::ScoreStatus;
using pipeline::read_finished;
using pipeline::RunJournal;
using test::failure;
using test::group;
using test::JournalOutput;
using test::record;
using Scores = std::map<std::string, ScoreStatus>;

TEST_CASE("fold groups of another kind of machine are not reused, its scores are") {
    const JournalOutput out;
    auto journal = out.journal("elsewhere");
    journal.folds(group("a", 0));
    journal.score(record("b", ScoreStatus::scored), {});
    journal.flush();
    const auto finished = out.finished();
    CHECK(finished.groups.empty());
    CHECK(finished.scores == Scores{{"b", ScoreStatus::scored}});
    CHECK(read_finished(out.path(), "elsewhere", {}).groups.size() == 1);
}

TEST_CASE("the fold groups of a finished score are left in the journal") {
    const JournalOutput out;
    auto journal = out.journal();
    journal.folds(group("a", 0));
    journal.folds(group("b", 0));
    journal.score(record("a", ScoreStatus::scored), std::vector<double>{1, 2});
    journal.flush();
    const auto finished = out.finished();
    REQUIRE(finished.groups.size() == 1);
    CHECK(finished.groups[0].key == "b");
    CHECK(finished.is_done("a"));
}

TEST_CASE("a failed score is finished unless its failure may be gone") {
    const JournalOutput out;
    auto journal = out.journal();
    journal.score(failure("a", core::FailureClass::deterministic), {});
    journal.score(failure("b", core::FailureClass::transient), {});
    journal.score(failure("c", core::FailureClass::out_of_memory), {});
    journal.score(record("d", ScoreStatus::scored), {});
    journal.flush();
    CHECK(out.finished().scores == Scores{{"a", ScoreStatus::failed},
                                          {"c", ScoreStatus::failed},
                                          {"d", ScoreStatus::scored}});
    CHECK(out.finished({.retry_failed = true}).scores == Scores{{"d", ScoreStatus::scored}});
    journal.estimate({"unit", 1, 2});
    journal.flush();
    const auto to_recompute = out.finished({.recompute = true});
    CHECK(to_recompute.scores.empty());
    CHECK(to_recompute.estimates.contains("unit"));
}

TEST_CASE("the last failure of a score decides, in whichever segment it is") {
    using core::FailureClass;
    const auto last = [&](FailureClass first_class, FailureClass last_class) {
        const test::TemporaryFolder folder;
        // The segment of the later one comes first.
        for (const auto& [job, failure_class] :
             {std::pair("second", first_class), std::pair("first", last_class)}) {
            pipeline::RunJournal journal(folder.path().string(), job, "here");
            journal.score(failure("a", failure_class), {});
            journal.flush();
            for (const auto now = core::time_now(); core::time_now() == now;) continue;
        }
        return read_finished(folder.path().string(), "here", {});
    };
    const auto mended = last(FailureClass::deterministic, FailureClass::transient);
    CHECK_FALSE(mended.is_done("a"));
    CHECK(mended.retried.count("a") == 1);
    const auto spoilt = last(FailureClass::transient, FailureClass::deterministic);
    CHECK(spoilt.is_done("a"));
    CHECK(spoilt.retried.empty());
}

TEST_CASE("a failure that is not understood is no failure") {
    const JournalOutput out;
    io::JournalSegment segment(out.path() + "/journal", "job");
    segment.append(R"({"kind":"failed","key":"a","class":"deterministic","provenance":{}})");
    segment.flush();
    const auto finished = out.finished();
    CHECK_FALSE(finished.is_done("a"));
    CHECK(finished.retried.empty());
}

TEST_CASE("a score that the tables cannot take is no finished one") {
    const JournalOutput out;
    {
        auto journal = out.journal();
        for (const std::string key : {"a", "b"})
            journal.score(record(key, ScoreStatus::scored), std::vector<double>{0.5});
        journal.flush();
    }
    auto lines = test::read_journal(out.path() + "/journal").lines;
    std::filesystem::remove_all(out.path() + "/journal");
    io::JournalSegment segment(out.path() + "/journal", "another version");
    const auto place = segment.append_array(std::vector<double>{0.5});
    for (const auto& line : lines) {
        auto json = nlohmann::json::parse(line.json);
        if (json.at("kind") != "score") continue;
        json["raw"]["file"] = place.file;
        json["raw"]["offset"] = place.offset;
        if (json.at("key") == "a") json["provenance"]["seed"] = 0;
        segment.append(R"({"kind":"score","key":)" + json.at("key").dump() + "," +
                       json.dump().substr(1));
    }
    segment.flush();
    const auto finished = out.finished();
    CHECK_FALSE(finished.is_done("a"));
    CHECK(finished.is_done("b"));
}

TEST_CASE("what the same job recorded before it was put back into the queue counts as done again") {
    const JournalOutput out;
    const auto record_as = [&](const std::string& job, const std::string& name) {
        pipeline::RunJournal journal(out.path(), job, "here");
        journal.score(failure(name + " failure", core::FailureClass::deterministic), {});
        journal.score(record(name + " score", ScoreStatus::scored), {});
        journal.flush();
    };
    record_as("slurm7-r0", "own");
    record_as("slurm71-r0", "other");
    const Scores own{{"own failure", ScoreStatus::failed}, {"own score", ScoreStatus::scored}};
    CHECK(out.finished({.recompute = true, .own_segments = "slurm7-r"}).scores == own);
    auto retried = own;
    retried["other score"] = ScoreStatus::scored;
    CHECK(out.finished({.retry_failed = true, .own_segments = "slurm7-r"}).scores == retried);
}

TEST_CASE("a score outweighs an earlier or later failure") {
    const JournalOutput out;
    auto journal = out.journal();
    journal.score(failure("a", core::FailureClass::deterministic), {});
    journal.score(record("a", ScoreStatus::scored), {});
    journal.score(record("b", ScoreStatus::scored), {});
    journal.score(failure("b", core::FailureClass::deterministic), {});
    journal.flush();
    const auto finished = out.finished();
    CHECK(finished.scores.at("a") == ScoreStatus::scored);
    CHECK(finished.scores.at("b") == ScoreStatus::scored);
}

TEST_CASE("damaged raw values and lines that are not understood are computed again") {
    const JournalOutput out;
    auto journal = out.journal();
    journal.folds(group("a", 0));
    journal.flush();
    io::JournalSegment foreign(out.path() + "/journal", "foreign");
    foreign.append(R"({"kind":"folds","key":7})");
    foreign.append("[]");
    foreign.flush();
    REQUIRE(out.finished().groups.size() == 1);
    for (const auto& name : test::files_in(out.path() + "/journal"))
        if (std::filesystem::path(name).extension() == ".raw")
            std::ofstream(out.path() + "/journal/" + name) << "torn";
    CHECK(out.finished().groups.empty());
}

TEST_CASE("a score whose raw values have lost their labels is not finished") {
    const JournalOutput out;
    auto score = record("a", ScoreStatus::scored);
    score.raw_labels = "labels of a";
    auto journal = out.journal();
    journal.score(score, std::vector<double>{0.5, 0.75});
    journal.flush();
    CHECK_FALSE(out.finished().is_done("a"));
    CHECK(out.finished({.trust_raw = true}).is_done("a"));
    journal.labels("labels of a", {});
    journal.flush();
    CHECK(out.finished().is_done("a"));
}

TEST_CASE("a passing failure before a score does not count when its raw values are lost") {
    const JournalOutput out;
    auto journal = out.journal();
    journal.score(failure("a", core::FailureClass::transient), {});
    journal.score(record("a", ScoreStatus::scored), std::vector<double>{0.5, 0.75});
    journal.flush();
    out.lose_raw_values();
    const auto finished = out.finished();
    CHECK_FALSE(finished.is_done("a"));
    CHECK(finished.retried.empty());
}

TEST_CASE("a score whose raw values are lost is not finished until it has been fitted again") {
    const JournalOutput out;
    {
        auto journal = out.journal();
        journal.folds(group("a", 0));
        journal.score(record("a", ScoreStatus::scored), std::vector<double>{0.5, 0.75});
        journal.score(record("private", ScoreStatus::scored), {});
        journal.flush();
    }
    CHECK(out.finished().is_done("a"));
    out.lose_raw_values();
    const auto finished = out.finished();
    CHECK_FALSE(finished.is_done("a"));
    CHECK(finished.is_done("private"));
    CHECK(finished.groups.empty());
    CHECK(out.finished({.trust_raw = true}).is_done("a"));
    auto journal = out.journal();
    journal.score(record("a", ScoreStatus::scored), std::vector<double>{0.5, 0.75});
    journal.flush();
    CHECK(out.finished().is_done("a"));
}

TEST_CASE("what is recorded of scores that are not asked for is left alone") {
    const JournalOutput out;
    auto journal = out.journal();
    journal.folds(group("a", 0));
    journal.folds(group("b", 0));
    journal.score(record("c", ScoreStatus::scored), std::vector<double>{0.5, 0.75});
    journal.flush();
    const auto with_keys = [&](std::set<std::string> keys) {
        return out.finished({.keys = std::move(keys)});
    };
    CHECK(with_keys({}).groups.empty());
    REQUIRE(with_keys({"b"}).groups.size() == 1);
    CHECK(with_keys({"b"}).groups[0].key == "b");
    CHECK_FALSE(with_keys({"b"}).is_done("c"));
    CHECK(with_keys({"c"}).is_done("c"));
    out.lose_raw_values();
    CHECK_FALSE(with_keys({"c"}).is_done("c"));
}

TEST_CASE("scores out of memory are tried again within a larger bound") {
    const JournalOutput out;
    auto journal = out.journal();
    auto score = failure("a", core::FailureClass::out_of_memory);
    score.memory["bound"] = 1e9;
    journal.score(score, {});
    journal.flush();
    const auto is_retried = [&](double bound) {
        return out.finished({.memory_bound = bound}).retried.count("a") == 1;
    };
    CHECK_FALSE(is_retried(0));
    CHECK_FALSE(is_retried(1e9));
    // As much as nodes of one kind, or two starts, may differ by.
    CHECK_FALSE(is_retried(1e9 + 1e6));
    CHECK(is_retried(1.5e9));
}

TEST_CASE("without a journal nothing is finished") {
    const JournalOutput out;
    const auto finished = out.finished();
    CHECK(finished.scores.empty());
    CHECK(finished.groups.empty());
}

#include "pipeline/journal/run_journal.hpp"

#include <cmath>
#include <filesystem>
#include <limits>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/where_and_when.hpp"
#include "io/journal/journal.hpp"
#include "io/journal/read_journal.hpp"
#include "pipeline/journal/finished.hpp"
#include "pipeline/journal/recorded.hpp"
#include "support/recorded_scores.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using core::ScoreStatus;
using pipeline::FoldGroupResult;
using pipeline::read_finished;
using pipeline::RunJournal;

namespace {

using Scores = std::map<std::string, ScoreStatus>;

FoldGroupResult group(const std::string& key, std::uint64_t number) {
    FoldGroupResult result;
    result.key = key;
    result.group = number;
    result.r = {0.25, std::nan(""), -0.0};
    result.margins.pls_stop = std::numeric_limits<double>::infinity();
    result.margins.guard = 1.0 / 3;
    result.route = "gram";
    result.rank = 2;
    result.seconds = 1.5;
    return result;
}

core::ScoreRecord record(const std::string& key, ScoreStatus status) {
    core::ScoreRecord score;
    score.key = key;
    score.status = status;
    return score;
}

core::ScoreRecord failure(const std::string& key, core::FailureClass failure_class) {
    auto score = record(key, ScoreStatus::failed);
    score.failure = core::Failure{failure_class, "why"};
    return score;
}

struct Output {
    std::string path() const { return folder.path().string(); }
    RunJournal journal(const std::string& fingerprint = "here") const {
        return {path(), "job", fingerprint};
    }
    test::TemporaryFolder folder;
};

}  // namespace

TEST_CASE("a fold group comes back bit for bit, infinite margins and NaN included") {
    const Output out;
    auto journal = out.journal();
    journal.folds(group("a", 3));
    journal.flush();
    CHECK(journal.lines() == 1);
    const auto finished = read_finished(out.path(), "here", {});
    REQUIRE(finished.groups.size() == 1);
    const auto& found = finished.groups[0];
    CHECK(found.key == "a");
    CHECK(found.group == 3);
    REQUIRE(found.r.size() == 3);
    CHECK(found.r[0] == 0.25);
    CHECK(std::isnan(found.r[1]));
    CHECK((found.r[2] == 0 && std::signbit(found.r[2])));
    CHECK(found.margins.pls_stop == std::numeric_limits<double>::infinity());
    CHECK(found.margins.guard == 1.0 / 3);
    CHECK(found.route == "gram");
    CHECK(found.rank == 2);
    CHECK(found.seconds == 1.5);
    CHECK_FALSE(finished.is_done("a"));
}

TEST_CASE("fold groups of another kind of machine are not reused, its scores are") {
    const Output out;
    auto journal = out.journal("elsewhere");
    journal.folds(group("a", 0));
    journal.score(record("b", ScoreStatus::scored), {});
    journal.flush();
    const auto finished = read_finished(out.path(), "here", {});
    CHECK(finished.groups.empty());
    CHECK(finished.scores == Scores{{"b", ScoreStatus::scored}});
    CHECK(read_finished(out.path(), "elsewhere", {}).groups.size() == 1);
}

TEST_CASE("the fold groups of a finished score are left in the journal") {
    const Output out;
    auto journal = out.journal();
    journal.folds(group("a", 0));
    journal.folds(group("b", 0));
    journal.score(record("a", ScoreStatus::scored), std::vector<double>{1, 2});
    journal.flush();
    const auto finished = read_finished(out.path(), "here", {});
    REQUIRE(finished.groups.size() == 1);
    CHECK(finished.groups[0].key == "b");
    CHECK(finished.is_done("a"));
}

TEST_CASE("a failed score is finished unless its failure may be gone") {
    const Output out;
    auto journal = out.journal();
    journal.score(failure("a", core::FailureClass::deterministic), {});
    journal.score(failure("b", core::FailureClass::transient), {});
    journal.score(failure("c", core::FailureClass::out_of_memory), {});
    journal.score(record("d", ScoreStatus::scored), {});
    journal.flush();
    CHECK(read_finished(out.path(), "here", {}).scores == Scores{{"a", ScoreStatus::failed},
                                                                 {"c", ScoreStatus::failed},
                                                                 {"d", ScoreStatus::scored}});
    CHECK(read_finished(out.path(), "here", {.retry_failed = true}).scores ==
          Scores{{"d", ScoreStatus::scored}});
    journal.estimate({"unit", 1, 2});
    journal.flush();
    const auto to_recompute = read_finished(out.path(), "here", {.recompute = true});
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
    const Output out;
    io::JournalSegment segment(out.path() + "/journal", "job");
    segment.append(R"({"kind":"failed","key":"a","class":"deterministic","provenance":{}})");
    segment.flush();
    const auto finished = read_finished(out.path(), "here", {});
    CHECK_FALSE(finished.is_done("a"));
    CHECK(finished.retried.empty());
}

TEST_CASE("a score that the tables cannot take is no finished one") {
    const Output out;
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
    const auto finished = read_finished(out.path(), "here", {});
    CHECK_FALSE(finished.is_done("a"));
    CHECK(finished.is_done("b"));
}

TEST_CASE("what the same job recorded before it was put back into the queue counts as done again") {
    const Output out;
    const auto record_as = [&](const std::string& job, const std::string& name) {
        pipeline::RunJournal journal(out.path(), job, "here");
        journal.score(failure(name + " failure", core::FailureClass::deterministic), {});
        journal.score(record(name + " score", ScoreStatus::scored), {});
        journal.flush();
    };
    record_as("slurm7-r0", "own");
    record_as("slurm71-r0", "other");
    const Scores own{{"own failure", ScoreStatus::failed}, {"own score", ScoreStatus::scored}};
    CHECK(
        read_finished(out.path(), "here", {.recompute = true, .own_segments = "slurm7-r"}).scores ==
        own);
    auto retried = own;
    retried["other score"] = ScoreStatus::scored;
    CHECK(read_finished(out.path(), "here", {.retry_failed = true, .own_segments = "slurm7-r"})
              .scores == retried);
}

TEST_CASE("a score outweighs an earlier or later failure") {
    const Output out;
    auto journal = out.journal();
    journal.score(failure("a", core::FailureClass::deterministic), {});
    journal.score(record("a", ScoreStatus::scored), {});
    journal.score(record("b", ScoreStatus::scored), {});
    journal.score(failure("b", core::FailureClass::deterministic), {});
    journal.flush();
    const auto finished = read_finished(out.path(), "here", {});
    CHECK(finished.scores.at("a") == ScoreStatus::scored);
    CHECK(finished.scores.at("b") == ScoreStatus::scored);
}

TEST_CASE("a score says where its raw values are") {
    const Output out;
    auto journal = out.journal();
    journal.score(record("a", ScoreStatus::scored), std::vector<double>{0.5, 0.75});
    journal.flush();
    const auto scores = test::recorded_scores(out.path());
    REQUIRE(scores.size() == 1);
    CHECK(io::JournalArrays().read(out.path() + "/journal", scores[0].raw.value()) ==
          std::vector<double>{0.5, 0.75});
}

TEST_CASE("damaged raw values and lines that are not understood are computed again") {
    const Output out;
    auto journal = out.journal();
    journal.folds(group("a", 0));
    journal.flush();
    io::JournalSegment foreign(out.path() + "/journal", "foreign");
    foreign.append(R"({"kind":"folds","key":7})");
    foreign.append("[]");
    foreign.flush();
    REQUIRE(read_finished(out.path(), "here", {}).groups.size() == 1);
    for (const auto& name : test::files_in(out.path() + "/journal"))
        if (std::filesystem::path(name).extension() == ".raw")
            std::ofstream(out.path() + "/journal/" + name) << "torn";
    CHECK(read_finished(out.path(), "here", {}).groups.empty());
}

TEST_CASE("a score whose raw values have lost their labels is not finished") {
    const Output out;
    auto score = record("a", ScoreStatus::scored);
    score.raw_labels = "labels of a";
    auto journal = out.journal();
    journal.score(score, std::vector<double>{0.5, 0.75});
    journal.flush();
    CHECK_FALSE(read_finished(out.path(), "here", {}).is_done("a"));
    CHECK(read_finished(out.path(), "here", {.trust_raw = true}).is_done("a"));
    journal.labels("labels of a", {});
    journal.flush();
    CHECK(read_finished(out.path(), "here", {}).is_done("a"));
}

TEST_CASE("a passing failure before a score does not count when its raw values are lost") {
    const Output out;
    auto journal = out.journal();
    journal.score(failure("a", core::FailureClass::transient), {});
    journal.score(record("a", ScoreStatus::scored), std::vector<double>{0.5, 0.75});
    journal.flush();
    for (const auto& name : test::files_in(out.path() + "/journal"))
        if (std::filesystem::path(name).extension() == ".raw")
            std::filesystem::remove(out.path() + "/journal/" + name);
    const auto finished = read_finished(out.path(), "here", {});
    CHECK_FALSE(finished.is_done("a"));
    CHECK(finished.retried.empty());
}

TEST_CASE("a score whose raw values are lost is not finished until it has been fitted again") {
    const Output out;
    {
        auto journal = out.journal();
        journal.folds(group("a", 0));
        journal.score(record("a", ScoreStatus::scored), std::vector<double>{0.5, 0.75});
        journal.score(record("private", ScoreStatus::scored), {});
        journal.flush();
    }
    CHECK(read_finished(out.path(), "here", {}).is_done("a"));
    for (const auto& name : test::files_in(out.path() + "/journal"))
        if (std::filesystem::path(name).extension() == ".raw")
            std::filesystem::remove(out.path() + "/journal/" + name);
    const auto finished = read_finished(out.path(), "here", {});
    CHECK_FALSE(finished.is_done("a"));
    CHECK(finished.is_done("private"));
    CHECK(finished.groups.empty());
    CHECK(read_finished(out.path(), "here", {.trust_raw = true}).is_done("a"));
    auto journal = out.journal();
    journal.score(record("a", ScoreStatus::scored), std::vector<double>{0.5, 0.75});
    journal.flush();
    CHECK(read_finished(out.path(), "here", {}).is_done("a"));
}

TEST_CASE("what is recorded of scores that are not asked for is left alone") {
    const Output out;
    auto journal = out.journal();
    journal.folds(group("a", 0));
    journal.folds(group("b", 0));
    journal.score(record("c", ScoreStatus::scored), std::vector<double>{0.5, 0.75});
    journal.flush();
    const auto with_keys = [&](std::set<std::string> keys) {
        return read_finished(out.path(), "here", {.keys = std::move(keys)});
    };
    CHECK(with_keys({}).groups.empty());
    REQUIRE(with_keys({"b"}).groups.size() == 1);
    CHECK(with_keys({"b"}).groups[0].key == "b");
    CHECK_FALSE(with_keys({"b"}).is_done("c"));
    CHECK(with_keys({"c"}).is_done("c"));
    for (const auto& name : test::files_in(out.path() + "/journal"))
        if (std::filesystem::path(name).extension() == ".raw")
            std::filesystem::remove(out.path() + "/journal/" + name);
    CHECK_FALSE(with_keys({"c"}).is_done("c"));
}

TEST_CASE("labels are written once, whatever their bytes") {
    const Output out;
    auto journal = out.journal();
    const std::vector<core::Coordinate> coordinates = {
        {"neuroid_id", "neuroid", std::vector<std::string>{"n0", "caf\xe9"}},
        {"depth", "neuroid", std::vector<double>{0.5, std::nan("")}}};
    journal.labels("recordings", coordinates);
    journal.labels("recordings", coordinates);
    journal.flush();
    const auto lines = test::journal_lines(out.path(), "labels");
    REQUIRE(lines.size() == 1);
    CHECK_THAT(lines[0], Catch::Contains(R"("n0")") && Catch::Contains("[0.5,null]"));
    CHECK(journal.lines() == 0);
}

TEST_CASE("that a unit begins, makes a checkpoint and ends is on disk at once") {
    const Output out;
    auto journal = out.journal();
    journal.ended(pipeline::UnitEnd::done);
    journal.progressed();
    CHECK(test::journal_lines(out.path(), "ended").empty());
    CHECK(test::journal_lines(out.path(), "progress").empty());
    journal.started({"unit", "model", "dataset", 3, 2, true});
    const auto started = test::journal_lines(out.path(), "started");
    REQUIRE(started.size() == 1);
    CHECK_THAT(started[0], Catch::Contains(R"("attempt":3)") && Catch::Contains(R"("ranks":2)") &&
                               Catch::Contains(R"("alone":true)"));
    journal.progressed();
    CHECK(test::journal_lines(out.path(), "progress").size() == 1);
    journal.ended(pipeline::UnitEnd::interrupted);
    journal.ended(pipeline::UnitEnd::done);
    const auto ended = test::journal_lines(out.path(), "ended");
    REQUIRE(ended.size() == 1);
    CHECK_THAT(ended[0], Catch::Contains(R"("how":"interrupted")"));
    CHECK(journal.lines() == 1);  // the checkpoint
}

TEST_CASE("scores out of memory are tried again within a larger bound") {
    const Output out;
    auto journal = out.journal();
    auto score = failure("a", core::FailureClass::out_of_memory);
    score.memory["bound"] = 1e9;
    journal.score(score, {});
    journal.flush();
    const auto is_retried = [&](double bound) {
        return read_finished(out.path(), "here", {.memory_bound = bound}).retried.count("a") == 1;
    };
    CHECK_FALSE(is_retried(0));
    CHECK_FALSE(is_retried(1e9));
    // As much as nodes of one kind, or two starts, may differ by.
    CHECK_FALSE(is_retried(1e9 + 1e6));
    CHECK(is_retried(1.5e9));
}

TEST_CASE("a score that cannot be computed is on disk and counts as nothing new") {
    const Output out;
    auto journal = out.journal();
    journal.impossible(failure("a", core::FailureClass::deterministic));
    journal.flush();
    CHECK(journal.lines() == 0);
    CHECK(read_finished(out.path(), "here", {}).is_done("a"));
}

TEST_CASE("without a journal nothing is finished") {
    const Output out;
    const auto finished = read_finished(out.path(), "here", {});
    CHECK(finished.scores.empty());
    CHECK(finished.groups.empty());
}

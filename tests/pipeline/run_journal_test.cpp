#include "pipeline/journal/run_journal.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "io/journal/read_journal.hpp"
#include "pipeline/journal_output.hpp"

using namespace ventral;
using core::ScoreStatus;
using test::failure;
using test::group;
using test::JournalOutput;
using test::record;

TEST_CASE("a fold group comes back bit for bit, infinite margins and NaN included") {
    const JournalOutput out;
    auto journal = out.journal();
    journal.folds(group("a", 3));
    journal.flush();
    CHECK(journal.lines() == 1);
    const auto finished = out.finished();
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

TEST_CASE("a score says where its raw values are") {
    const JournalOutput out;
    auto journal = out.journal();
    journal.score(record("a", ScoreStatus::scored), std::vector<double>{0.5, 0.75});
    journal.flush();
    const auto scores = test::recorded_scores(out.path());
    REQUIRE(scores.size() == 1);
    CHECK(io::JournalArrays().read(out.path() + "/journal", scores[0].raw.value()) ==
          std::vector<double>{0.5, 0.75});
}

TEST_CASE("labels are written once, whatever their bytes") {
    const JournalOutput out;
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
    const JournalOutput out;
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

TEST_CASE("a score that cannot be computed is on disk and counts as nothing new") {
    const JournalOutput out;
    auto journal = out.journal();
    journal.impossible(failure("a", core::FailureClass::deterministic));
    journal.flush();
    CHECK(journal.lines() == 0);
    CHECK(out.finished().is_done("a"));
}

#include "pipeline/journal/other_runs.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "io/journal/journal.hpp"
#include "io/out_folder.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::OtherRuns;
using pipeline::Patience;

namespace {

using Keys = std::set<std::string>;

struct TwoRuns {
    test::TemporaryFolder folder;
    std::string out = folder.path().string();
    io::JournalSegment first{io::journal_folder(out), "first"};
    io::JournalSegment second{io::journal_folder(out), "second"};
};

void record(io::JournalSegment& segment, const std::string& kind, const std::string& key) {
    segment.append("{\"kind\":\"" + kind + "\",\"key\":\"" + key + "\"}");
    segment.flush();
}

std::string name_of(const io::JournalSegment& segment) {
    return std::filesystem::path(segment.stem()).filename().string() + ".journal";
}

}  // namespace

TEST_CASE("what others record from now on is known by the keys of its scores") {
    TwoRuns runs;
    record(runs.first, "score", "before");
    OtherRuns others(runs.out);
    CHECK(others.scores().empty());
    CHECK(others.recorded() == 0);
    record(runs.first, "score", "scored");
    record(runs.second, "failed", "failed");
    record(runs.second, "folds", "in part");
    record(runs.second, "started", "unit");
    CHECK(others.scores() == Keys{"scored", "failed", "in part"});
    CHECK(others.whole_scores() == Keys{"scored"});
}

TEST_CASE("what this job has recorded counts as recorded, not as of others") {
    TwoRuns runs;
    record(runs.first, "started", "unit");
    OtherRuns others(runs.out);
    others.leave_out({name_of(runs.first)});
    record(runs.first, "score", "own");
    const auto own = others.recorded();
    CHECK(own > 0);
    record(runs.second, "score", "another's");
    CHECK(others.scores() == Keys{"another's"});
    CHECK(others.recorded() > own);
}

TEST_CASE("a line that is not whole yet is read when it is") {
    TwoRuns runs;
    record(runs.first, "score", "whole");
    const auto path = runs.first.stem() + ".journal";
    std::ifstream written(path, std::ios::binary);
    std::string line;
    std::getline(written, line);
    OtherRuns others(runs.out);
    const auto half = line.size() / 2;
    std::ofstream(path, std::ios::binary | std::ios::app) << line.substr(0, half) << std::flush;
    CHECK(others.scores().empty());
    CHECK(others.recorded() == 0);
    std::ofstream(path, std::ios::binary | std::ios::app) << line.substr(half) << '\n';
    CHECK(others.scores() == Keys{"whole"});
    CHECK(others.recorded() == line.size() + 1);
}

TEST_CASE(
    "patience is over when nobody has recorded anything for long, and never without a limit") {
    TwoRuns runs;
    record(runs.first, "started", "unit");
    OtherRuns others(runs.out);
    CHECK_FALSE(Patience(0, others).is_over());
    CHECK_FALSE(Patience(3600, others).is_over());
    Patience short_one(1e-9, others);
    CHECK(short_one.is_over());
    record(runs.second, "folds", "in part");
    CHECK_FALSE(short_one.is_over());
    CHECK(short_one.is_over());
}

#include "pipeline/journal/failure_log.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace ventral;

namespace {

core::ScoreRecord failed(const std::string& layer, const std::string& reason) {
    core::ScoreRecord record;
    record.model = "model";
    record.layer = layer;
    record.benchmark = "bench";
    record.failure = core::Failure{core::FailureClass::deterministic, reason};
    return record;
}

}  // namespace

TEST_CASE("a reason is said of the first score that has it, and the others are counted") {
    std::vector<std::string> lines;
    {
        pipeline::FailureLog log([&](const std::string& line) { lines.push_back(line); });
        for (const auto* layer : {"a", "b", "c"}) log.add(failed(layer, "no such layer"));
        log.add(failed("", "another one"));
        CHECK(lines == std::vector<std::string>{"model, a on bench failed: no such layer",
                                                "model on bench failed: another one"});
    }
    REQUIRE(lines.size() == 3);
    CHECK(lines[2] == "2 more scores failed for the reason of model, a on bench");
}

TEST_CASE("a reason that an earlier log has said is not said again") {
    std::vector<std::string> lines;
    pipeline::FailureLog::ToldReasons told;
    const auto say = [&](const std::string& line) { lines.push_back(line); };
    pipeline::FailureLog(say, "failed", &told).add(failed("a", "is damaged"));
    {
        pipeline::FailureLog log(say, "failed", &told);
        for (const auto* layer : {"b", "c"}) {
            auto record = failed(layer, "is damaged");
            record.model = "other";
            log.add(record);
        }
    }
    CHECK(lines ==
          std::vector<std::string>{"model, a on bench failed: is damaged",
                                   "2 scores of other failed for the reason of model, a on bench"});
}

TEST_CASE("what became of the scores is said in the words that are given") {
    std::vector<std::string> lines;
    {
        pipeline::FailureLog log([&](const std::string& line) { lines.push_back(line); },
                                 "cannot be computed");
        for (const auto* layer : {"a", "b"}) log.add(failed(layer, "no such file"));
    }
    CHECK(lines == std::vector<std::string>{
                       "model, a on bench cannot be computed: no such file",
                       "1 more score cannot be computed for the reason of model, a on bench"});
}

#include "benchmarks/expectations.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace ventral;
using benchmarks::check_expectations;
using benchmarks::Quantity;

namespace {

benchmarks::BenchmarkRecord expecting(const std::vector<benchmarks::Expectation>& expected) {
    benchmarks::BenchmarkRecord benchmark;
    benchmark.identifier = "V4-pls";
    benchmark.expected = expected;
    return benchmark;
}

core::ScoreRecord record(const std::string& model, double value, bool committed = true) {
    core::ScoreRecord score;
    score.benchmark = "V4-pls";
    score.model = model;
    score.committed = committed;
    score.status = core::ScoreStatus::scored;
    score.value = value;
    score.ceiling = core::CeilingValue{0.75, {}};
    return score;
}

core::ScoreRecord failed(const std::string& model) {
    auto score = record(model, 0);
    score.status = core::ScoreStatus::failed;
    score.value.reset();
    score.ceiling.reset();
    score.failure = core::Failure{core::FailureClass::transient, "disk full"};
    return score;
}

}  // namespace

TEST_CASE("a ceiling holds within its tolerance, ends included") {
    for (const auto& [tolerance, holds] : {std::pair{0.25, true}, {0.125, false}}) {
        const auto checked = check_expectations(expecting({{Quantity::ceiling, 0.5, tolerance}}),
                                                {record("m", 0.3)});
        REQUIRE(checked.size() == 1);
        CHECK(checked[0].found == 0.75);
        CHECK(checked[0].holds() == holds);
    }
}

TEST_CASE("an expected score is that of committed layers, of all models or of the one it names") {
    const std::vector<core::ScoreRecord> records = {record("a", 0.5), record("a", 0.9, false),
                                                    record("b", 0.625)};
    const auto all = check_expectations(expecting({{Quantity::score, 0.5, 0.0625}}), records);
    REQUIRE(all.size() == 2);
    CHECK(all[0].expectation.model == "a");
    CHECK(all[0].holds());
    CHECK(all[1].expectation.model == "b");
    CHECK_FALSE(all[1].holds());
    const auto one = check_expectations(expecting({{Quantity::score, 0.625, 0, "b"}}), records);
    REQUIRE(one.size() == 1);
    CHECK(one[0].holds());
}

TEST_CASE("an expected score that the run does not compute is said to be missing, not broken") {
    const std::vector<core::ScoreRecord> records = {record("a", 0.5), record("b", 0.9, false)};
    for (const std::string model : {"b", "c"}) {
        const auto checked =
            check_expectations(expecting({{Quantity::score, 0.5, 0, model}}), records);
        REQUIRE(checked.size() == 1);
        CHECK(checked[0].expectation.model == model);
        CHECK(checked[0].missing == (model == "b"
                                         ? "not in this run (which scores no committed layer)"
                                         : "not in this run"));
        CHECK_FALSE(checked[0].found);
        CHECK_FALSE(checked[0].holds());
        CHECK_FALSE(checked[0].is_broken());
    }
    CHECK(check_expectations(expecting({{Quantity::score, 0.75, 0, "a"}}), records)
              .at(0)
              .is_broken());
    CHECK(check_expectations(expecting({{Quantity::score, 0.5, 0}}), {failed("a")})
              .at(0)
              .is_broken());
}

TEST_CASE("NaN, a failed score and a ceiling that nobody has hold nothing") {
    const auto nan =
        check_expectations(expecting({{Quantity::score, 0.5, 9}}), {record("a", std::nan(""))});
    CHECK_FALSE(nan.at(0).holds());
    const auto lost = check_expectations(
        expecting({{Quantity::score, 0.5, 9}, {Quantity::ceiling, 0.7, 9}}), {failed("a")});
    REQUIRE(lost.size() == 2);
    for (const auto& checked : lost) CHECK_FALSE(checked.holds());
    CHECK(lost[0].missing == "failed: disk full");
    CHECK(lost[1].missing == "no score has it (failed: disk full)");
    auto with_ceiling = failed("a");
    with_ceiling.ceiling = core::CeilingValue{0.75, {}};
    const auto kept = check_expectations(expecting({{Quantity::ceiling, 0.75, 0}}), {with_ceiling});
    CHECK(kept.at(0).holds());
    const auto none = check_expectations(expecting({{Quantity::ceiling, 0.7, 9}}), {});
    REQUIRE(none.size() == 1);
    CHECK(none[0].missing == "no score with a ceiling");
}

TEST_CASE("records of other benchmarks are not compared") {
    auto other = record("a", 0.5);
    other.benchmark = "V4-ridge";
    const auto checked = check_expectations(expecting({{Quantity::score, 0.5, 0}}), {other});
    REQUIRE(checked.size() == 1);
    CHECK(checked[0].missing == "not in this run");
    CHECK_FALSE(checked[0].is_broken());
}

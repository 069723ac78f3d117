#include "pipeline/fit/score_table.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>

#include "core/average_repetition.hpp"
#include "support/small_run.hpp"

using namespace ventral;
using pipeline::FoldGroupResult;
using pipeline::ScoreTable;

namespace {

/// One score of two fold groups.
struct SmallScore {
    benchmarks::BenchmarkRecord benchmark = test::small_benchmark("pls");
    metrics::RegressionPlan plan = metrics::plan_cross_validated(
        core::average_repetition(test::small_recordings()), benchmark.metric.cross_validation);
    pipeline::PlannedScore planned;

    pipeline::FitTask task() const { return {&planned, &plan, &benchmark.metric}; }
};

FoldGroupResult result_of(std::uint64_t group, double r) {
    FoldGroupResult result;
    result.key = "small";
    result.group = group;
    result.r.assign(metrics::fold_group * test::small_neuroids, r);
    result.route = metrics::gram_route;
    result.margins.guard = 1e-14;
    result.rank = group;
    result.seconds = 2;
    return result;
}

void merge(ScoreTable& into, ScoreTable& other) {
    for (std::size_t i = 0; i < into.words().size(); ++i) into.words()[i] |= other.words()[i];
}

}  // namespace

TEST_CASE("tables that ranks have filled in part become one by a bitwise or") {
    const SmallScore score;
    ScoreTable first(score.task()), second(score.task());
    first.fill(result_of(0, -0.0));
    second.fill(result_of(1, 0.5));
    CHECK_FALSE(first.is_complete());
    merge(first, second);
    REQUIRE(first.is_complete());
    const auto outcome = first.outcome();
    CHECK(outcome.folds_by_rank == std::map<std::uint64_t, std::size_t>{{0, 5}, {1, 5}});
    CHECK(outcome.seconds == 4);
    CHECK_FALSE(outcome.needs_features);
    const auto& fitted = std::get<core::Score>(outcome.score);
    CHECK(fitted.value == 0.25);  // the mean of ten splits, whose medians are 0 and 0.5
    CHECK(fitted.route == metrics::gram_route);
    CHECK(fitted.margins.guard == 1e-14);
}

TEST_CASE("a table asks for the features if a group's Gram has lost digits") {
    const SmallScore score;
    ScoreTable table(score.task());
    auto lossy = result_of(0, 0.5);
    lossy.margins.guard = 1e-3;
    table.fill(lossy);
    table.fill(result_of(1, 0.5));
    CHECK(table.outcome().needs_features);
}

TEST_CASE("a part of a score is filled with that part's groups") {
    const SmallScore score;
    auto task = score.task();
    task.part = 1;
    task.parts = 2;
    ScoreTable table(task);
    table.fill(result_of(2, 0.5));
    table.fill(result_of(3, 0.5));
    CHECK(table.is_complete());
}

TEST_CASE("a result of another size or of no known route does not fit a table") {
    const SmallScore score;
    ScoreTable table(score.task());
    auto smaller = result_of(1, 0.5);
    smaller.r.pop_back();
    CHECK_FALSE(table.fits(smaller));
    CHECK_THROWS_AS(table.fill(smaller), std::logic_error);
    auto strange = result_of(1, 0.5);
    strange.route = "detour";
    CHECK_FALSE(table.fits(strange));
    CHECK_THROWS_WITH(table.fill(strange), Catch::StartsWith("fold group 1 of the score small") &&
                                               Catch::Contains("'detour'"));
    CHECK(table.fits(result_of(1, 0.5)));
}

#include "pipeline/schedule/containment.hpp"

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace ventral;

namespace {

/// Units of one open score each, by id and cost.
pipeline::RunPlan plan_of(const std::vector<std::pair<std::string, double>>& units) {
    pipeline::RunPlan plan;
    for (const auto& [id, cost] : units) {
        pipeline::PlannedUnit unit;
        unit.id = id;
        unit.cost = cost;
        unit.scores.push_back({0, {"layer"}, false, "score of " + id});
        plan.units.push_back(std::move(unit));
    }
    return plan;
}

std::vector<std::string> ids(const std::vector<pipeline::PlannedUnit>& units) {
    std::vector<std::string> ids;
    for (const auto& unit : units) ids.push_back(unit.id);
    return ids;
}

}  // namespace

TEST_CASE("the longest units come first, by estimated seconds where a plan has recorded them") {
    const auto plan = plan_of({{"a", 40}, {"b", 30}, {"c", 20}, {"d", 10}});
    pipeline::Finished finished;
    using Ids = std::vector<std::string>;
    CHECK(ids(pipeline::open_units(plan, finished, {}).together) == Ids{"a", "b", "c", "d"});
    // 60 s for a cost of 60: "b" and "d" are taken for 30 and 10 s.
    finished.estimates["a"] = {"a", 0, 5};
    finished.estimates["c"] = {"c", 0, 55};
    CHECK(ids(pipeline::open_units(plan, finished, {}).together) == Ids{"c", "b", "d", "a"});
}

TEST_CASE("finished units are not open, and those that ended jobs are apart") {
    const auto plan = plan_of({{"done", 4}, {"lonely", 3}, {"left", 2}, {"open", 1}});
    pipeline::Finished finished;
    finished.scores["score of done"] = core::ScoreStatus::scored;
    pipeline::UnitHistories histories;
    histories["lonely"].alone = true;
    histories["left"].left_out = true;
    const auto open = pipeline::open_units(plan, finished, histories);
    CHECK(ids(open.together) == std::vector<std::string>{"open"});
    CHECK(ids(open.alone) == std::vector<std::string>{"lonely"});
    CHECK(ids(open.left_out) == std::vector<std::string>{"left"});
}

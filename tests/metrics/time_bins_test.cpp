#include "metrics/time_bins.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "metrics/assemblies.hpp"
#include "metrics/regression_plan.hpp"
#include "metrics/result_shape.hpp"

using namespace ventral;
using namespace ventral::metrics;
using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

TEST_CASE("time bins become presentations, one bin after the other") {
    const auto rows = time_bins_as_presentations(test::three_bins());
    CHECK(rows.dims[0].size == 6);
    CHECK(test::numbers(rows) ==
          std::vector<double>{0, 10, 100, 110, 1, 11, 101, 111, 2, 12, 102, 112});
    CHECK(core::texts(rows, "stimulus_id") == Texts{"a", "b", "a", "b", "a", "b"});
}

TEST_CASE("an assembly without time bins is an error") {
    CHECK_THROWS_WITH(time_bins_as_presentations(core::squeeze(
                          core::take(test::three_bins(), "time_bin", {0}), "time_bin")),
                      Contains("time_bin"));
}

TEST_CASE("different time bins are an error") {
    auto other = test::three_bins();
    CHECK_NOTHROW(require_same_bins_in_order(test::three_bins(), other));
    test::relabel(other, "time_bin_end", std::vector<std::int64_t>{90, 110, 150});
    CHECK_THROWS_WITH(require_same_bins_in_order(test::three_bins(), other),
                      Contains("time_bin_end"));
    CHECK_THROWS_WITH(
        require_same_bins_in_order(test::three_bins(), core::take(other, "time_bin", {0, 1})),
        Contains("3 and 2 time bins"));
}

TEST_CASE(
    "an edge of time bins that neither has is not compared, one that only one has is missed") {
    auto without_ends = test::three_bins();
    std::erase_if(without_ends.coordinates,
                  [](const auto& labels) { return labels.name == "time_bin_end"; });
    CHECK_NOTHROW(require_same_bins_in_order(without_ends, without_ends));
    CHECK_THROWS_WITH(require_same_bins_in_order(without_ends, test::three_bins()),
                      Contains("time_bin_end"));
    CHECK_THROWS_WITH(
        require_same_bins_in_order(without_ends, core::take(without_ends, "time_bin", {0, 1})),
        Contains("3 and 2 time bins"));
}

TEST_CASE("time bins are called by their edges, or else by their number") {
    const auto assembly = test::three_bins();
    CHECK(time_bin_names(assembly.coordinates, 3) ==
          Texts{"70 to 90 ms", "90 to 110 ms", "110 to 130 ms"});
    CHECK(time_bin_names({}, 2) == Texts{"time bin 0", "time bin 1"});
}

TEST_CASE("a result per time bin is aggregated per time bin") {
    RegressionPlan plan;
    plan.folds.resize(2);
    plan.neuroid_order = {0, 1, 2};
    plan.neuroid_coordinates = {{"neuroid_id", "neuroid", Texts{"n0", "n1", "n2"}}};
    plan.time_bins = 2;
    plan.time_coordinates = {{"time_bin_start", "time_bin", std::vector<std::int64_t>{70, 90}}};
    // Medians 2, 5 in the first split, 4, 9 in the second: means 3, 7, errors 1/√2, 2/√2.
    const auto score = aggregate(plan, std::vector<double>{1, 2, 3, 4, 5, 6, 3, 4, 5, 8, 9, 10});
    CHECK(test::numbers(*score.value_array) == std::vector<double>{3, 7});
    CHECK(test::numbers(*score.error_array)[0] == Approx(std::sqrt(0.5)));
    CHECK(test::numbers(*score.error_array)[1] == Approx(std::sqrt(2.0)));
    CHECK(score.value == 5);
    CHECK(*score.error == Approx(1.5 * std::sqrt(0.5)));
    CHECK(score.raw.dims[1].name == "time_bin");
    CHECK(core::find_coordinate(score.raw, "time_bin_start") != nullptr);
}

TEST_CASE("a neuroid without a result in two time bins is one neuroid") {
    ResultShape shape;
    shape.neuroid_order = {0, 1, 2};
    shape.time_bins = 2;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto score = aggregate(shape, std::vector<double>{1, nan, 3, 4, nan, 6});
    CHECK(score.undefined_neuroids == 1);
    CHECK_THAT(score.warnings.at(0), Catch::Matchers::Contains("1 of 3 neuroids"));
}

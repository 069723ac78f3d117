#include "metrics/plan_in_time.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "metrics/assemblies.hpp"
#include "metrics/time_bins.hpp"

using namespace ventral;
using namespace ventral::metrics;
using Texts = std::vector<std::string>;

namespace {

core::Assembly four_presentations() {
    auto four = core::take(test::three_bins(), "presentation", {0, 1, 0, 1});
    test::relabel(four, "stimulus_id", Texts{"a", "b", "c", "d"});
    return four;
}

CrossValidationOptions two_splits() {
    CrossValidationOptions options;
    options.splits = 2;
    options.train_size = 0.5;
    options.stratification_coordinate.reset();
    return options;
}

}  // namespace

TEST_CASE("bins beside one another are columns, with one split of the presentations") {
    const auto plan = plan_beside_in_time(four_presentations(), two_splits());
    CHECK(plan.targets.rows() == 4);
    REQUIRE(plan.targets.cols() == 6);
    // Presentation 1: neuroids 0 and 1 in bin 0, in bin 1, in bin 2.
    const std::vector<double> row = {100, 110, 101, 111, 102, 112};
    for (Eigen::Index j = 0; j < 6; ++j)
        CHECK(plan.targets(1, j) == row[static_cast<std::size_t>(j)]);
    CHECK(plan.neuroids() == 2);
    CHECK(plan.columns() == 6);
    CHECK(plan.folds.size() == 2);
    CHECK(plan.folds[0].train.size() == 2);
    CHECK(in_every_time_bin(plan, {3, 2, 1, 0}, 10) == std::vector<std::size_t>{3, 2, 1, 0});
}

TEST_CASE("bins beside one another can be averaged, taken apart and put below one another") {
    auto plan = plan_beside_in_time(four_presentations(), two_splits());
    const auto last = at_time_bin(plan, 2);
    CHECK(last.columns() == 2);
    CHECK(last.targets(1, 1) == 112);
    CHECK(last.folds[1].test == plan.folds[1].test);
    CHECK(time_bin_names(last.time_coordinates, 1) == Texts{"110 to 130 ms"});
    const auto below = below_one_another(plan);
    REQUIRE(below.targets.rows() == 12);
    // Presentation 1 in bin 2 is row 2 * 4 + 1.
    CHECK(below.targets(9, 0) == 102);
    CHECK(below.targets(9, 1) == 112);
    CHECK(below.stimulus_ids[9] == "b");
    REQUIRE(below.folds[1].test.size() == 3 * plan.folds[1].test.size());
    CHECK(below.folds[1].test.front() == plan.folds[1].test.front());
    CHECK(below.folds[1].test.back() == plan.folds[1].test.back() + 8);
    CHECK(plan_spanning_time(four_presentations(), two_splits()).targets == below.targets);
    CHECK(in_every_time_bin(below, {3, 2, 1, 0}, 10) ==
          std::vector<std::size_t>{3, 2, 1, 0, 13, 12, 11, 10, 23, 22, 21, 20});
    average_over_time(plan);
    // Of 100, 101, 102 and of 110, 111, 112.
    CHECK(plan.averages(1, 0) == 101);
    CHECK(plan.averages(1, 1) == 111);
    CHECK(plan.columns() == 6);
}

TEST_CASE("an assembly without time bins cannot be planned in time") {
    const auto none = core::take(test::three_bins(), "time_bin", {});
    CHECK_THROWS_AS(plan_beside_in_time(none, two_splits()), core::InputError);
    const auto flat = core::squeeze(core::take(test::three_bins(), "time_bin", {0}), "time_bin");
    CHECK_THROWS_AS(plan_spanning_time(flat, two_splits()), core::InputError);
}

TEST_CASE(
    "a response that is missing in one bin of a row that no fold trains on is missing there") {
    auto options = two_splits();
    options.splits = 1;
    auto assembly = four_presentations();
    const auto row = plan_beside_in_time(assembly, options).folds[0].test[0];
    // presentation × neuroid × time bin: neuroid 1 in bin 2.
    auto values = core::as_float64(assembly.values);
    REQUIRE(assembly.dims.back().name == "time_bin");
    const auto at = static_cast<std::size_t>(row) * 6 + 5;
    values[at] = std::numeric_limits<double>::quiet_NaN();
    assembly.values = values;
    const auto plan = plan_beside_in_time(assembly, options);
    CHECK(plan.missing == std::vector<MissingResponse>{{row, 5}});
    CHECK(plan.targets.allFinite());
    CHECK(at_time_bin(plan, 1).missing.empty());
    CHECK(at_time_bin(plan, 2).missing == std::vector<MissingResponse>{{row, 1}});
    CHECK(below_one_another(plan).missing == std::vector<MissingResponse>{{8 + row, 1}});
    const auto trained = plan.folds[0].train[0];
    values[static_cast<std::size_t>(trained) * 6] = std::numeric_limits<double>::quiet_NaN();
    assembly.values = values;
    CHECK_THROWS_AS(plan_beside_in_time(assembly, options), core::InputError);
}

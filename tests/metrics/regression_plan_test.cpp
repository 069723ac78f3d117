#include "metrics/regression_plan.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "metrics/assemblies.hpp"
#include "stats/small_problems.hpp"

using namespace ventral;
using namespace ventral::metrics;
using Catch::Matchers::Contains;
using core::InputError;
using test::assembly_of;
using test::formula_targets;
using test::relabel;
using test::rows_from;
using Texts = std::vector<std::string>;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

CrossValidationOptions three_splits() {
    CrossValidationOptions options;
    options.splits = 3;
    options.train_size = 0.7;
    return options;
}

RegressionPlan plan_of(std::size_t folds, const Texts& neuroids) {
    RegressionPlan plan;
    plan.folds.resize(folds);
    for (std::size_t j = 0; j < neuroids.size(); ++j) plan.neuroid_order.push_back(j);
    plan.neuroid_coordinates = {{"neuroid_id", "neuroid", neuroids}};
    return plan;
}

}  // namespace

TEST_CASE("a plan has the recordings as they lie and its results in order of neuroids") {
    auto target = assembly_of(formula_targets(12, 3));
    relabel(target, "neuroid_id", Texts{"s9", "S2", "s10"});
    const auto plan =
        plan_cross_validated(core::transpose(target, {"neuroid", "presentation"}), three_splits());
    CHECK(plan.targets == formula_targets(12, 3));
    CHECK(plan.stimulus_ids.at(3) == "s03");
    CHECK(plan.folds.size() == 3);
    CHECK(plan.neuroids() == 3);
    CHECK(plan.neuroid_order == std::vector<std::size_t>{1, 2, 0});
    CHECK(std::get<Texts>(plan.neuroid_coordinates.at(0).values) == Texts{"S2", "s10", "s9"});
    CHECK(!plan.single_split);
}

TEST_CASE("folds are taken in groups, the last of which may be smaller") {
    auto plan = plan_of(12, {"n0"});
    CHECK(plan.groups() == 3);
    CHECK(plan.group_range(0) == std::pair<std::size_t, std::size_t>(0, 5));
    CHECK(plan.group_range(2) == std::pair<std::size_t, std::size_t>(10, 12));
    plan.folds.resize(10);
    CHECK(plan.groups() == 2);
    CHECK(plan.group_range(1) == std::pair<std::size_t, std::size_t>(5, 10));
}

TEST_CASE("recordings with a missing value cannot be planned for") {
    auto target = assembly_of(formula_targets(12, 3));
    std::get<std::vector<double>>(target.values)[7] = missing;
    CHECK_THROWS_AS(plan_cross_validated(target, three_splits()), InputError);
    CHECK_THROWS_WITH(plan_cross_validated(target, three_splits()),
                      Contains("NaN at stimulus 's02', neuroid 'n1'"));
}

TEST_CASE("a response that is missing where no split trains on it costs its neuroid those splits") {
    // Of ShuffleSplit(1, train_size=.5, random_state=1) on 12 rows, permutation(12) is
    // [2 3 4 10 1 6 0 7 11 9 8 5]: the first half is tested.
    auto options = three_splits();
    options.splits = 1;
    options.train_size = 0.5;
    options.stratification_coordinate.reset();
    auto target = assembly_of(formula_targets(12, 3));
    std::get<std::vector<double>>(target.values)[3 * 10 + 1] = missing;
    const auto plan = plan_cross_validated(target, options);
    CHECK(plan.missing == std::vector<MissingResponse>{{10, 1}});
    CHECK(plan.targets.allFinite());
    std::get<std::vector<double>>(target.values)[3 * 9] = missing;
    CHECK_THROWS_WITH(plan_cross_validated(target, options), Contains("NaN"));
}

TEST_CASE("missing responses are left out of the scale of their neuroid") {
    RegressionPlan plan;
    plan.targets = (stats::Matrix(4, 1) << 1, 3, 100, 5).finished();
    plan.missing = {{2, 0}};
    scale_targets(plan);  // mean 3, deviation √(8 / 3) of 1, 3 and 5
    CHECK(plan.targets(0, 0) == Approx(-2 / std::sqrt(8.0 / 3)));
    CHECK(plan.targets(1, 0) == Approx(0).margin(1e-15));
}

TEST_CASE("targets that deviate by less than ten eps are only centred") {
    RegressionPlan plan;
    plan.targets = (stats::Matrix(2, 1) << 1e-16, 3e-16).finished();
    scale_targets(plan);
    CHECK(plan.targets(1, 0) == Approx(1e-16));
}

TEST_CASE("train rows are sorted by the type of their ids, equal ids as they were") {
    auto target = assembly_of(formula_targets(4, 2));
    for (auto& labels : target.coordinates)
        if (labels.name == "stimulus_id") labels.values = std::vector<std::int64_t>{10, 9, 10, 2};
    RegressionPlan plan;
    plan.folds = {{{0, 1, 2, 3}, {2, 0}}};
    sort_train_rows(target, plan);
    CHECK(plan.folds[0].train == std::vector<Eigen::Index>{3, 1, 0, 2});
    CHECK(plan.folds[0].test == std::vector<Eigen::Index>{2, 0});
}

TEST_CASE("given sets are one fold: rows of train, then those of test") {
    const auto all = assembly_of(formula_targets(9, 2));
    const auto plan = plan_train_test(core::take(all, "presentation", {0, 1, 2, 3, 4, 5}),
                                      core::take(all, "presentation", {6, 7, 8}));
    CHECK(plan.single_split);
    REQUIRE(plan.folds.size() == 1);
    CHECK(plan.folds[0].train == rows_from(0, 6));
    CHECK(plan.folds[0].test == rows_from(6, 9));
    CHECK(plan.targets == formula_targets(9, 2));
    CHECK(plan.stimulus_ids.at(8) == "s08");
}

TEST_CASE("neuroids of the test set are brought into the order of the train set") {
    const auto train = assembly_of(formula_targets(6, 3));
    auto test_set = core::take(assembly_of(formula_targets(9, 3)), "presentation", {6, 7, 8});
    test_set = core::take(test_set, "neuroid", {2, 0, 1});
    CHECK(plan_train_test(train, test_set).targets == formula_targets(9, 3));
}

TEST_CASE("a neuroid with a missing test response has no result, and changes none of the others") {
    const auto train = assembly_of(formula_targets(6, 3));
    auto test_set = core::take(assembly_of(formula_targets(9, 3)), "presentation", {6, 7, 8});
    test_set = core::take(test_set, "neuroid", {2, 0, 1});
    std::get<std::vector<double>>(test_set.values)[4] = missing;  // stimulus 7, neuroid 0
    const auto plan = plan_train_test(train, test_set);
    CHECK(plan.missing == std::vector<MissingResponse>{{7, 0}});
    auto targets = formula_targets(9, 3);
    targets(7, 0) = targets(0, 0);
    CHECK(plan.targets == targets);

    std::get<std::vector<double>>(test_set.values)[4] = std::numeric_limits<double>::infinity();
    CHECK_THROWS_WITH(plan_train_test(train, test_set), Contains("infinite at stimulus 's07'"));
}

TEST_CASE("train and test sets of different neuroids are refused") {
    const auto train = assembly_of(formula_targets(6, 3));
    CHECK_THROWS_AS(plan_train_test(train, assembly_of(formula_targets(6, 2))), InputError);
    auto other = train;
    relabel(other, "neuroid_id", Texts{"n0", "n1", "odd"});
    CHECK_THROWS_WITH(plan_train_test(train, other), Contains("'odd'"));
}

TEST_CASE("a test set of one stimulus is refused: it has no correlation") {
    const auto train = assembly_of(formula_targets(6, 3));
    CHECK_THROWS_WITH(plan_train_test(train, assembly_of(formula_targets(1, 3))),
                      Contains("at least two test stimuli"));
}

TEST_CASE("a score is the mean over splits of medians over neuroids") {
    // Medians 0.2 (of 0.1 and 0.3) and 0.6; mean 0.4, deviation 0.2, error 0.2 / √2.
    const std::vector<double> table = {0.1, missing, 0.3, 0.5, 0.6, 0.7};
    const auto score = aggregate(plan_of(2, {"a", "b", "c"}), table);
    CHECK(score.value == Approx(0.4).epsilon(1e-15));
    REQUIRE(score.error);
    CHECK(*score.error == Approx(0.2 / std::sqrt(2.0)).epsilon(1e-14));
    CHECK(score.undefined_neuroids == 1);
    REQUIRE(score.warnings.size() == 1);
    CHECK_THAT(score.warnings[0], Contains("1 of 3 neuroids"));
}

TEST_CASE("raw values are a table of splits by neuroids with the labels of both") {
    const std::vector<double> table = {1, 2, 3, 4, 5, 6};
    const auto raw = aggregate(plan_of(2, {"a", "b", "c"}), table).raw;
    REQUIRE(raw.dims.size() == 2);
    CHECK(raw.dims[0].name == "split");
    CHECK(raw.dims[0].size == 2);
    CHECK(raw.dims[1].name == "neuroid");
    CHECK(test::numbers(raw) == table);
    CHECK(core::texts(raw, "split") == Texts{"0", "1"});
    CHECK(core::texts(raw, "neuroid_id") == Texts{"a", "b", "c"});
    CHECK_NOTHROW(core::check_consistent(raw));
}

TEST_CASE("a single split has no error and no dimension of splits") {
    auto plan = plan_of(1, {"a", "b", "c"});
    plan.single_split = true;
    const std::vector<double> table = {0.1, 0.5, 0.2};
    const auto score = aggregate(plan, table);
    CHECK(score.value == 0.2);
    CHECK(!score.error);
    CHECK(score.raw.dims.size() == 1);
    CHECK_NOTHROW(core::check_consistent(score.raw));
}

TEST_CASE("a split without any correlation is left out of the mean, and counts in the error") {
    // Medians NaN, 0.2 and 0.4; mean 0.3, deviation 0.1, over all three splits.
    const std::vector<double> table = {missing, missing, 0.1, 0.3, 0.4, 0.4};
    const auto score = aggregate(plan_of(3, {"a", "b"}), table);
    CHECK(score.value == Approx(0.3));
    CHECK(*score.error == Approx(0.1 / std::sqrt(3.0)));
    CHECK(score.undefined_neuroids == 2);
    CHECK_THAT(score.warnings.at(0),
               Contains("2 of 2 neuroids without correlation in some split, none in all"));
}

TEST_CASE("of a comparison it is said how many splits are undefined") {
    auto plan = plan_of(3, {""});
    plan.whole = true;
    const auto score = aggregate(plan, std::vector<double>{missing, 0.2, missing});
    CHECK(score.value == 0.2);
    REQUIRE(score.warnings.size() == 1);
    CHECK_THAT(score.warnings[0], Contains("undefined in 2 of 3 splits"));
}

TEST_CASE("without any correlation the score is missing") {
    const std::vector<double> table = {missing, missing};
    const auto score = aggregate(plan_of(2, {"a"}), table);
    CHECK(std::isnan(score.value));
    CHECK(std::isnan(*score.error));
    CHECK(score.undefined_neuroids == 1);
    CHECK_THAT(score.warnings.at(0), Contains("1 of 1 neuroid without correlation (constant"));
}

TEST_CASE("a comparison is one number of all presentations, or of the test part of each split") {
    const auto target = assembly_of(formula_targets(20, 3));
    const auto all = plan_comparison(target);
    CHECK(all.columns() == 1);
    CHECK(all.folds.size() == 1);
    CHECK(all.folds[0].test == rows_from(0, 20));
    // train_size none, test_size .9: ceil(.9 · 20) rows are compared.
    const auto parts = plan_compared_parts(target, {});
    CHECK(parts.columns() == 1);
    REQUIRE(parts.folds.size() == 10);
    for (const auto& fold : parts.folds) CHECK(fold.test.size() == 18);
    const auto score = aggregate(parts, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    CHECK(score.value == 5.5);
    CHECK(score.raw.dims.size() == 1);
}

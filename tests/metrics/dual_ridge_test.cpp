#include "metrics/dual_ridge.hpp"

#include <catch2/catch.hpp>

#include "metrics/golden_split.hpp"
#include "metrics/ridge.hpp"
#include "stats/gram_problem.hpp"
#include "stats/same_bits.hpp"

using namespace ventral;

TEST_CASE("the dual form is the same function") {
    const stats::Matrix kernel = test::centred_gram(test::random_matrix(40, 50, 1));
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    const stats::Problem problem{test::view(kernel), targets, 50};
    const std::vector<stats::FoldRows> folds = {{test::rows_from(0, 30), test::rows_from(30, 40)}};
    metrics::MetricOptions options;
    options.alpha = 0.5;
    core::Workers workers(2);
    const auto dual = metrics::fit_dual_ridge(problem, folds, options, workers);
    CHECK(test::same_bits(dual.at(0).prediction,
                          metrics::fit_ridge(problem, folds, options, workers).at(0).prediction));
}

TEST_CASE(
    "the intercept is in the order of the reference's ridge with as many train rows as features") {
    core::Workers workers(2);
    const std::vector<stats::FoldRows> folds = {{test::rows_from(0, 30), test::rows_from(30, 40)}};
    const auto has_order_of_ridge = [&](Eigen::Index features) {
        const test::GramProblem stored(1e-4 * test::random_matrix(40, features, 3),
                                       test::random_matrix(40, 5, 4).array() + 300);
        const auto problem = stored.without_features();
        const auto ridge = metrics::fit_ridge(problem, folds, {}, workers);
        const auto dual = metrics::fit_dual_ridge(problem, folds, {}, workers);
        return test::same_bits(ridge[0].prediction, dual[0].prediction);
    };
    CHECK(has_order_of_ridge(30));
    CHECK_FALSE(has_order_of_ridge(31));
}

TEST_CASE("scores of given sets equal the reference's") {
    for (const std::string name : {"split_tall_f64", "split_wide_f64", "split_wide_f32"}) {
        const std::string upcast = name == "split_wide_f32" ? "-upcast" : "";
        test::check_golden_split(name, "dual_ridge_split" + upcast, metrics::fit_dual_ridge, {});
        test::check_golden_split(name, "ridge_split" + upcast, metrics::fit_ridge, {});
    }
}

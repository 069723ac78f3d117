#include "metrics/linear.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "metrics/golden_scores.hpp"
#include "stats/regression/linear.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral;
using test::rows_from;
using test::view;

TEST_CASE("the metric fits least squares to the features of every fold") {
    const stats::Matrix x = test::random_matrix(40, 9, 1);
    const stats::Matrix kernel = test::plain_gram(x);
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    const std::vector<stats::FoldRows> folds = {{rows_from(0, 30), rows_from(30, 40)},
                                                {rows_from(10, 40), rows_from(0, 10)}};
    const stats::ReducedFeatures at_hand([&] { return x; });
    for (const std::size_t threads : {1U, 2U, 5U}) {
        core::Workers workers(threads);
        const auto fits =
            metrics::fit_linear({view(kernel), targets, 9, at_hand}, folds, {}, workers);
        REQUIRE(fits.size() == 2);
        for (std::size_t f = 0; f < 2; ++f) {
            CHECK(test::same_bits(fits[f].prediction,
                                  stats::linear_predict(x, targets, 9, folds[f])));
            CHECK(fits[f].route == metrics::features_route);
        }
    }
}

TEST_CASE("a Gram alone is refused") {
    const stats::Matrix kernel = test::plain_gram(test::random_matrix(10, 4, 1));
    const stats::Matrix targets = test::random_matrix(10, 2, 2);
    const std::vector<stats::FoldRows> folds = {{rows_from(0, 8), rows_from(8, 10)}};
    core::Workers workers(1);
    CHECK_THROWS_AS(metrics::fit_linear({view(kernel), targets, 4}, folds, {}, workers),
                    core::InputError);
}

TEST_CASE("scores equal the reference's where it is reproducible") {
    test::check_regression_golden("neural_small_f64", "linear_predictivity_cv",
                                  metrics::fit_linear);
    test::check_regression_golden("neural_odd_f64", "linear_predictivity_cv-cond",
                                  metrics::fit_linear);
    test::check_regression_golden("neural_medium_f32", "linear_predictivity_cv-cond-upcast",
                                  metrics::fit_linear);
    test::check_regression_golden("neural_wide_f32", "linear_predictivity_cv-cond-upcast",
                                  metrics::fit_linear);
    test::check_regression_golden("neural_degenerate", "linear_predictivity_cv",
                                  metrics::fit_linear);
}

TEST_CASE("scores of given sets equal the reference's") {
    test::check_regression_golden("split_tall_f64", "linear_predictivity_split",
                                  metrics::fit_linear);
    test::check_regression_golden("split_wide_f64", "linear_predictivity_split",
                                  metrics::fit_linear);
}

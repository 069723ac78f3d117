#include "metrics/pls.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/pls.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral;
using test::rows_from;
using test::view;

TEST_CASE("the metric fits partial least squares with its number of components") {
    const stats::Matrix kernel = test::centred_gram(test::random_matrix(40, 9, 1));
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    const stats::Problem problem{view(kernel), targets, 9};
    const std::vector<stats::FoldRows> folds = {{rows_from(0, 30), rows_from(30, 40)},
                                                {rows_from(10, 40), rows_from(0, 10)}};
    core::Workers workers(2);
    metrics::MetricOptions options;
    options.n_components = 4;
    const auto fits = metrics::fit_pls(problem, folds, options, workers);
    const auto expected = stats::pls_predict(problem, folds, 4, workers);
    REQUIRE(fits.size() == 2);
    for (std::size_t f = 0; f < 2; ++f) {
        CHECK(test::same_bits(fits[f].prediction, expected[f].prediction));
        CHECK(fits[f].margins.pls_stop == expected[f].stop_margin);
        CHECK(fits[f].margins.guard == expected[f].guard);
    }
}

TEST_CASE("fewer features than the reference's 25 components are refused") {
    const stats::Matrix kernel = test::centred_gram(test::random_matrix(40, 9, 1));
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    const std::vector<stats::FoldRows> folds = {{rows_from(0, 30), rows_from(30, 40)}};
    core::Workers workers(1);
    CHECK_THROWS_AS(metrics::fit_pls({view(kernel), targets, 9}, folds, {}, workers),
                    core::InputError);
}

#include "metrics/pls.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/pls.hpp"
#include "stats/pls_features.hpp"
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

TEST_CASE("a fold whose guard is too wide is fitted again to features that are at hand") {
    // Variances over twelve decades: the later components are below the rounding of the squares.
    const stats::Vector scales = (stats::Vector(6) << 1, 0.1, 0.01, 1e-3, 1e-5, 1e-6).finished();
    stats::Matrix x = test::random_matrix(40, 6, 1) * scales.asDiagonal();
    x.rowwise() -= x.colwise().mean().eval();
    const stats::Matrix kernel = test::plain_gram(x);
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    const std::vector<stats::FoldRows> folds = {{rows_from(0, 30), rows_from(30, 40)}};
    core::Workers workers(1);
    metrics::MetricOptions options;
    options.n_components = 6;
    const auto squared = metrics::fit_pls({view(kernel), targets, 6}, folds, options, workers);
    CHECK(squared[0].route == metrics::gram_route);
    CHECK(squared[0].margins.guard > stats::pls_guard_limit);

    const stats::ReducedFeatures at_hand([&] { return x; });
    const auto again =
        metrics::fit_pls({view(kernel), targets, 6, at_hand}, folds, options, workers);
    CHECK(again[0].route == metrics::both_routes);
    CHECK(test::same_bits(again[0].prediction,
                          stats::pls_predict_features(x, targets, 6, folds[0], 6).prediction));

    options.n_components = 1;
    CHECK(metrics::fit_pls({view(kernel), targets, 6, at_hand}, folds, options, workers)[0].route ==
          metrics::gram_route);
}

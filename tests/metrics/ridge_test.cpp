#include "metrics/ridge.hpp"

#include <catch2/catch.hpp>

#include "stats/ridge.hpp"
#include "stats/ridge_features.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral;
using test::rows_from;
using test::view;

TEST_CASE("the metric fits ridges with its alpha, the same with any number of workers") {
    const stats::Matrix kernel = test::centred_gram(test::random_matrix(40, 9, 1));
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    const stats::Problem problem{view(kernel), targets, 9};
    const std::vector<stats::FoldRows> folds = {{rows_from(0, 30), rows_from(30, 40)},
                                                {rows_from(10, 40), rows_from(0, 10)}};
    metrics::MetricOptions options;
    for (const double alpha : {1.0, 0.5}) {
        options.alpha = alpha;
        for (const std::size_t threads : {1U, 3U}) {
            core::Workers workers(threads);
            const auto fits = metrics::fit_ridge(problem, folds, options, workers);
            REQUIRE(fits.size() == 2);
            for (std::size_t f = 0; f < 2; ++f)
                CHECK(test::same_bits(fits[f].prediction,
                                      stats::ridge_predict(problem, folds[f], alpha)));
        }
    }
}

TEST_CASE("features that are at hand and fewer than rows are used themselves") {
    const stats::Matrix x = test::random_matrix(40, 9, 1);
    const stats::Matrix centred = x.rowwise() - x.colwise().mean();
    const stats::Matrix kernel = test::plain_gram(centred);
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    const std::vector<stats::FoldRows> folds = {{rows_from(0, 30), rows_from(30, 40)}};
    core::Workers workers(1);
    const auto fit = [&](std::size_t features) {
        const stats::Problem problem{view(kernel), targets, features,
                                     stats::ReducedFeatures([&] { return centred; })};
        return metrics::fit_ridge(problem, folds, {}, workers).front();
    };
    CHECK(fit(9).route == metrics::features_route);
    CHECK(test::same_bits(fit(9).prediction,
                          stats::ridge_predict_features(centred, targets, folds[0], 1.0)));
    CHECK(fit(40).route == metrics::gram_route);
    CHECK(test::largest_difference(fit(40).prediction, fit(9).prediction) < 1e-12);
}

#include "metrics/pls.hpp"

#include <span>
#include <stdexcept>

#include <Eigen/QR>
#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "metrics/golden_scores.hpp"
#include "stats/pls/pls.hpp"
#include "stats/pls/pls_features.hpp"
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

TEST_CASE(
    "a fold whose guard is too wide is fitted again to features that are at hand, if it may be") {
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
    CHECK(squared[0].margins.guard > stats::guard_limit);

    const stats::ReducedFeatures at_hand([&] { return x; });
    const auto again =
        metrics::fit_pls({view(kernel), targets, 6, at_hand}, folds, options, workers);
    CHECK(again[0].route == metrics::both_routes);
    CHECK(test::same_bits(again[0].prediction,
                          stats::pls_predict_features(x, targets, 6, folds[0], 6).prediction));

    const stats::ReducedFeatures refused(
        []() -> stats::Matrix { throw std::logic_error("asked"); });
    options.gram_only = true;
    const auto kept =
        metrics::fit_pls({view(kernel), targets, 6, refused}, folds, options, workers);
    CHECK(kept[0].route == metrics::gram_route);
    CHECK(test::same_bits(kept[0].prediction, squared[0].prediction));

    options.gram_only = false;
    options.n_components = 1;
    CHECK(metrics::fit_pls({view(kernel), targets, 6, at_hand}, folds, options, workers)[0].route ==
          metrics::gram_route);
}

TEST_CASE("so is a fold of one neuroid of which the last components have nothing left to explain") {
    // All 26 components together are least squares; the 26th explains 1e-12 of what the first does.
    stats::Matrix x = test::random_matrix(220, 26, 1);
    x.rowwise() -= x.colwise().mean().eval();
    const stats::Matrix kernel = test::plain_gram(x);
    const stats::Matrix targets = x.leftCols(9).rowwise().sum() + test::random_matrix(220, 1, 2);
    const std::vector<stats::FoldRows> folds = {{rows_from(0, 192), rows_from(192, 220)}};
    const stats::ReducedFeatures at_hand([&] { return x; });
    core::Workers workers(1);
    metrics::MetricOptions options;
    options.n_components = 26;
    const auto all =
        metrics::fit_pls({view(kernel), targets, 26, at_hand}, folds, options, workers);
    CHECK(all[0].route == metrics::both_routes);
    CHECK(all[0].margins.guard > stats::guard_limit);

    const stats::Matrix train = x.topRows(192);
    const Eigen::RowVectorXd means = train.colwise().mean();
    const double mean = targets.topRows(192).mean();
    const stats::Matrix weights = (train.rowwise() - means)
                                      .householderQr()
                                      .solve((targets.topRows(192).array() - mean).matrix());
    const stats::Matrix expected =
        (((x.bottomRows(28).rowwise() - means) * weights).array() + mean).matrix();
    CHECK(test::largest_difference(all[0].prediction, expected) < 1e-12);

    options.n_components = 4;
    CHECK(
        metrics::fit_pls({view(kernel), targets, 26, at_hand}, folds, options, workers)[0].route ==
        metrics::gram_route);
}

TEST_CASE("few features that many targets are fitted to are fitted in their own space") {
    const stats::Matrix x = test::random_matrix(60, 9, 5);
    const stats::Matrix kernel = test::centred_gram(x);
    const stats::Matrix targets = test::random_matrix(60, 80, 6);
    const std::vector<stats::FoldRows> folds = {{rows_from(0, 50), rows_from(50, 60)},
                                                {rows_from(10, 60), rows_from(0, 10)}};
    const stats::ReducedFeatures at_hand([&] { return x; });
    metrics::MetricOptions options;
    options.n_components = 5;
    core::Workers workers(2);
    const auto features =
        metrics::fit_pls({view(kernel), targets, 9, at_hand}, folds, options, workers);
    const auto rows = metrics::fit_pls({view(kernel), targets, 9}, folds, options, workers);
    options.gram_only = true;
    CHECK(metrics::fit_pls({view(kernel), targets, 9, at_hand}, folds, options, workers)[0].route ==
          metrics::gram_route);
    for (std::size_t f = 0; f < 2; ++f) {
        CHECK(features[f].route == metrics::features_route);
        CHECK(rows[f].route == metrics::gram_route);
        CHECK(test::largest_difference(features[f].prediction, rows[f].prediction) < 1e-10);
        CHECK(features[f].margins.pls_stop == Approx(rows[f].margins.pls_stop).epsilon(1e-5));
    }
}

TEST_CASE("the space that a fold is fitted in follows from all folds, not from those beside it") {
    const stats::Matrix x = test::random_matrix(60, 9, 5);
    const stats::Matrix kernel = test::centred_gram(x);
    const stats::Matrix targets = test::random_matrix(60, 80, 6);
    // Nine features are the smaller space for 19 train rows, not for 18.
    const std::vector<stats::FoldRows> folds = {{rows_from(0, 19), rows_from(50, 60)},
                                                {rows_from(0, 18), rows_from(0, 10)}};
    const stats::ReducedFeatures at_hand([&] { return x; });
    metrics::MetricOptions options;
    options.n_components = 5;
    core::Workers workers(2);
    stats::Problem problem{view(kernel), targets, 9, at_hand};
    const auto alone = std::span(folds).first(1);
    CHECK(metrics::fit_pls(problem, alone, options, workers)[0].route == metrics::features_route);
    const auto together = metrics::fit_pls(problem, folds, options, workers);
    CHECK(together[0].route == metrics::gram_route);
    problem.all_folds = folds;
    const auto in_part = metrics::fit_pls(problem, alone, options, workers);
    CHECK(in_part[0].route == metrics::gram_route);
    CHECK(test::same_bits(in_part[0].prediction, together[0].prediction));
}

TEST_CASE("scores equal the reference's") {
    for (const std::string folder : {"neural_small_f64", "neural_odd_f64", "neural_degenerate"})
        test::check_regression_golden(folder, "pls_cv", metrics::fit_pls);
    for (const std::string folder : {"neural_medium_f32", "neural_wide_f32"})
        test::check_regression_golden(folder, "pls_cv-upcast", metrics::fit_pls);
    metrics::MetricOptions unstratified;
    unstratified.cross_validation.stratification_coordinate.reset();
    test::check_regression_golden("neural_small_f64", "pls_cv-unstratified", metrics::fit_pls,
                                  unstratified);
}

TEST_CASE("scores of given sets equal the reference's") {
    test::check_regression_golden("split_tall_f64", "pls_split", metrics::fit_pls);
    test::check_regression_golden("split_wide_f64", "pls_split", metrics::fit_pls);
    test::check_regression_golden("split_wide_f32", "pls_split-upcast", metrics::fit_pls);
}

TEST_CASE("recordings score on features as the reference's reverse metric does, in either form") {
    // Without the reduced features in the form of rows, with them in that of the features.
    const metrics::Regression by_rows = [](const stats::Problem& problem, const auto& folds,
                                           const auto& options, auto& workers) {
        return metrics::fit_pls({problem.kernel, problem.targets, problem.features}, folds, options,
                                workers);
    };
    for (const metrics::Regression& regression : {metrics::Regression(metrics::fit_pls), by_rows}) {
        test::check_regression_golden("neural_medium_f32", "reverse_pls_cv-upcast", regression, {},
                                      test::Direction::reverse);
        test::check_regression_golden("split_wide_f32", "reverse_pls_split-upcast", regression, {},
                                      test::Direction::reverse);
    }
}

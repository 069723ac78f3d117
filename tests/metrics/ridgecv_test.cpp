#include "metrics/ridgecv.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "metrics/golden_split.hpp"
#include "stats/leave_one_out_problem.hpp"
#include "stats/regression/ridge_cv.hpp"
#include "stats/same_bits.hpp"

using namespace ventral;
using test::random_matrix;
using test::rows_from;
using test::view;

namespace {

/// Features of 40 rows and targets that they predict.
struct Recordings {
    /// One row of the features is so many times as large as the others.
    explicit Recordings(Eigen::Index features, double large = 1)
        : x(random_matrix(40, features, 1)),
          y(x.leftCols(9) * random_matrix(9, 5, 2) + random_matrix(40, 5, 3)) {
        x.row(15) *= large;
        x.rowwise() -= x.colwise().mean().eval();
        kernel = test::plain_gram(x);
    }

    stats::Problem problem(bool at_hand) const {
        stats::Problem problem{view(kernel), y, static_cast<std::size_t>(x.cols())};
        if (at_hand) problem.reduced = stats::ReducedFeatures([this] { return x; });
        return problem;
    }

    stats::Matrix x;
    stats::Matrix y;
    stats::Matrix kernel;
};

const std::vector<stats::FoldRows> two_folds = {{rows_from(0, 30), rows_from(30, 40)},
                                                {rows_from(10, 40), rows_from(0, 10)}};

}  // namespace

TEST_CASE("the metric chooses among Brain-Score's alphas, or those that it is given") {
    const Recordings recordings(50);
    const auto problem = recordings.problem(false);
    metrics::MetricOptions options;
    for (const auto& alphas : {std::vector<double>{}, std::vector<double>{0.5, 20, 800}}) {
        options.alphas = alphas;
        core::Workers workers(3);
        const auto fits = metrics::fit_ridgecv(problem, two_folds, options, workers);
        REQUIRE(fits.size() == 2);
        for (std::size_t f = 0; f < 2; ++f) {
            const auto expected = stats::ridge_cv_predict(
                problem, two_folds[f], alphas.empty() ? stats::alpha_list() : alphas, workers);
            CHECK(test::same_bits(fits[f].prediction, expected.prediction));
            CHECK(fits[f].alpha == expected.alpha);
            CHECK(fits[f].margins.alpha_gap == expected.alpha_gap);
            CHECK(fits[f].route == metrics::gram_route);
        }
    }
}

TEST_CASE("features are used themselves where they are at hand and fewer than the train rows") {
    core::Workers workers(2);
    const auto route = [&](Eigen::Index features, bool at_hand) {
        const Recordings recordings(features);
        const auto fits = metrics::fit_ridgecv(recordings.problem(at_hand), two_folds, {}, workers);
        return fits.front().route;
    };
    CHECK(route(29, true) == metrics::features_route);
    CHECK(route(29, false) == metrics::gram_route);
    CHECK(route(30, true) == metrics::gram_route);  // as many as train rows
}

TEST_CASE("a fold whose Gram has lost digits is fitted again on the features") {
    core::Workers workers(2);
    metrics::MetricOptions options;
    const auto fit = [&](const stats::Problem& problem) {
        return metrics::fit_ridgecv(problem, {two_folds.data(), 1}, options, workers).front();
    };
    const Recordings usual(50);
    CHECK(fit(usual.problem(true)).route == metrics::gram_route);
    CHECK(fit(usual.problem(true)).margins.guard < stats::guard_limit / 100);
    const Recordings odd(50, 1e5);
    const auto lossy = fit(odd.problem(false));
    CHECK(lossy.route == metrics::gram_route);
    CHECK(lossy.margins.guard > stats::guard_limit);
    const auto again = fit(odd.problem(true));
    CHECK(again.route == metrics::both_routes);
    CHECK(again.margins.guard == lossy.margins.guard);
    CHECK(again.margins.alpha_gap == lossy.margins.alpha_gap);
    CHECK(again.alpha == lossy.alpha);
    const auto expected = stats::ridge_cv_predict_features(
        odd.x, odd.y, two_folds[0], std::vector<double>{*lossy.alpha}, workers);
    CHECK(test::same_bits(again.prediction, expected.prediction));
    options.gram_only = true;
    CHECK(test::same_bits(fit(odd.problem(true)).prediction, lossy.prediction));
}

TEST_CASE("the dual form is the same function") {
    const Recordings recordings(50);
    core::Workers workers(2);
    const auto one = metrics::fit_ridgecv(recordings.problem(false), two_folds, {}, workers);
    const auto dual = metrics::fit_dual_ridgecv(recordings.problem(false), two_folds, {}, workers);
    CHECK(test::same_bits(dual[0].prediction, one[0].prediction));
    CHECK(dual[0].alpha == one[0].alpha);
}

TEST_CASE("scores of given sets equal the reference's") {
    metrics::MetricOptions all;
    metrics::MetricOptions some;
    some.alphas = {0.001, 0.3, 7.0, 200.0};
    for (const std::string name : {"split_tall_f64", "split_wide_f64", "split_wide_f32"}) {
        const std::string upcast = name == "split_wide_f32" ? "-upcast" : "";
        test::check_golden_split(name, "ridgecv_split" + upcast, metrics::fit_ridgecv, all);
        test::check_golden_split(name, "ridgecv_split-alphas" + upcast, metrics::fit_ridgecv, some);
        test::check_golden_split(name, "dual_ridgecv_split" + upcast, metrics::fit_dual_ridgecv,
                                 all);
        test::check_golden_split(name, "dual_ridgecv_split-alphas" + upcast,
                                 metrics::fit_dual_ridgecv, some);
    }
}

TEST_CASE("leave-one-out errors of every alpha equal the reference's") {
    for (const std::string name : {"split_tall_f64", "split_wide_f64", "split_wide_f32"}) {
        INFO(name);
        const auto split = test::golden_split(name);
        const auto alphas = test::golden(name + "/expected.alpha_list.json");
        const auto expected = test::golden(name + "/expected.ridgecv_loo_mse.json");
        if (!split || !alphas || !expected) return;
        CHECK(stats::alpha_list() == alphas->get<std::vector<double>>());
        const auto& rows = split->plan.folds[0].train;
        const auto centred = [&](const stats::Matrix& matrix) {
            return stats::centred_rows(matrix, rows, stats::column_means(matrix, rows));
        };
        const stats::Matrix x = centred(split->features);
        core::Workers workers(2);
        const auto spectrum = x.cols() < x.rows()
                                  ? stats::spectrum_of_features(x)
                                  : stats::spectrum_of_kernel(test::plain_gram(x), workers);
        const auto errors =
            test::all_errors(spectrum, centred(split->plan.targets), stats::alpha_list(), workers);
        REQUIRE(errors.size() == expected->size());
        for (std::size_t a = 0; a < errors.size(); ++a)
            CHECK(errors[a] == Approx(expected->at(a).get<double>()).epsilon(1e-10));
    }
}

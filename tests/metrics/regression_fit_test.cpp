#include "metrics/regression_fit.hpp"

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "stats/folds/folds.hpp"

using namespace ventral;
using namespace ventral::metrics;
using Catch::Matchers::Contains;

TEST_CASE("of two margins the narrower is kept") {
    core::Margins margins;
    merge_margins(margins, {0.5, 1e-14, 0.7, 0.2, 3e-4});
    merge_margins(margins, {0.1, 1e-13, 0.9, 0.1, 2e-4});
    merge_margins(margins, {0.3, 1e-15, 0.8, 0.3, 1e-4});
    CHECK(margins.pls_stop == 0.1);
    CHECK(margins.guard == 1e-13);
    CHECK(margins.alpha_gap == 0.7);
    CHECK(margins.argmax_gap == 0.1);
    CHECK(margins.rank_gap == 1e-4);
}

TEST_CASE("a score says in which form it was computed") {
    std::string route;
    merge_route(route, gram_route);
    CHECK(route == gram_route);
    merge_route(route, gram_route);
    CHECK(route == gram_route);
    merge_route(route, features_route);
    CHECK(route == both_routes);

    core::Score score;
    note_margins(score, {0.5, 1e-14}, route);
    CHECK(score.route == both_routes);
    CHECK(score.margins.pls_stop == 0.5);
    CHECK(score.margins.guard == 1e-14);
    CHECK(score.warnings.empty());
}

TEST_CASE("a score that may have lost digits says so, unless it was computed again") {
    const core::Margins narrow{0.5, 2 * stats::guard_limit};
    core::Score score;
    note_margins(score, narrow, both_routes);
    CHECK(score.warnings.empty());
    note_margins(score, narrow, gram_route);
    REQUIRE(score.warnings.size() == 1);
    CHECK_THAT(score.warnings[0], Contains("lost digits"));
}

TEST_CASE("a split whose train rows have fewer components than PLS is to find is told") {
    RegressionPlan plan;
    plan.folds = {{{0, 1, 2, 3}, {4, 5}}, {{0, 1, 2}, {3, 4, 5}}};
    core::Score score;
    MetricOptions options;
    options.name = "ridge";
    warn_of_few_rows(plan, options, score);
    options.name = "pls";
    options.n_components = 2;
    warn_of_few_rows(plan, options, score);
    CHECK(score.warnings.empty());
    options.n_components = GENERATE(3, 4);
    warn_of_few_rows(plan, options, score);
    REQUIRE(score.warnings.size() == 1);
    CHECK_THAT(score.warnings[0],
               Contains("n_components = " + std::to_string(options.n_components)) &&
                   Contains("3 rows, which have at most 2"));
}

TEST_CASE("test stimuli that the Gram cannot tell apart have one prediction") {
    const stats::Vector features = (stats::Vector(4) << 1, 2, 2, 3).finished();
    const stats::Matrix kernel = features * features.transpose();
    RegressionPlan plan;
    plan.targets = (stats::Matrix(4, 1) << 5, 1, 3, 4).finished();
    plan.neuroid_order = {0};
    const std::string route = GENERATE(gram_route, features_route);
    const auto scorer = correlated([&](const stats::Problem&, std::span<const stats::FoldRows>,
                                       const MetricOptions&, core::Workers&) {
        FoldFit fit;
        fit.prediction = (stats::Matrix(2, 1) << 0.1, std::nextafter(0.1, 1)).finished();
        fit.route = route;
        return std::vector<FoldFit>{fit};
    });
    const std::vector<stats::FoldRows> folds{{{0, 3}, {1, 2}}};
    core::Workers workers(1);
    const stats::MatrixView view(kernel.data(), 4, 4);
    const auto results = scorer(plan, {view, plan.targets, 1}, folds, {}, workers);
    REQUIRE(results.size() == 1);
    REQUIRE(results[0].r.size() == 1);
    CHECK(std::isnan(results[0].r[0]));
}

#include "metrics/regression_fit.hpp"

#include <set>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/correlation.hpp"
#include "stats/pls.hpp"
#include "stats/ridge.hpp"
#include "stats/small_problems.hpp"

using namespace ventral;
using namespace ventral::metrics;
using Catch::Matchers::Contains;

namespace {

/// Three folds of ten rows; the results are in the reverse order of the targets.
RegressionPlan reversed_plan() {
    RegressionPlan plan;
    plan.targets = test::random_matrix(10, 3, 2);
    for (Eigen::Index f = 0; f < 3; ++f)
        plan.folds.push_back({test::rows_from(0, 7 - f), test::rows_from(7 - f, 10)});
    plan.neuroid_order = {2, 1, 0};
    return plan;
}

}  // namespace

TEST_CASE("every metric can be found by its name") {
    std::set<std::string> names;
    for (const auto& metric : registered_metrics()) {
        CHECK(find_metric(metric.name).name == metric.name);
        CHECK(metric.version >= 1);
        names.insert(metric.name);
    }
    CHECK(names ==
          std::set<std::string>{"pls", "pls_cv", "pls_split", "ridge", "ridge_cv", "ridge_split"});
}

TEST_CASE("only names that end in split take given train and test sets") {
    for (const auto& metric : registered_metrics())
        CHECK((metric.form == SplitForm::train_test) ==
              (metric.name.find("_split") != std::string::npos));
}

TEST_CASE("a metric that is not there is an error that lists those there are") {
    CHECK_THROWS_AS(find_metric("cka"), core::InputError);
    CHECK_THROWS_WITH(find_metric("ridg"), Contains("'ridg'") && Contains("pls_split") &&
                                               Contains("did you mean 'ridge'"));
}

TEST_CASE("of two margins the narrower is kept") {
    core::Margins margins;
    merge_margins(margins, {0.5, 1e-14});
    merge_margins(margins, {0.1, 1e-13});
    merge_margins(margins, {0.3, 1e-15});
    CHECK(margins.pls_stop == 0.1);
    CHECK(margins.guard == 1e-13);
}

TEST_CASE("folds are scored by correlation, in the order of the plan's neuroids") {
    const auto plan = reversed_plan();
    const stats::Matrix kernel = test::centred_gram(test::random_matrix(10, 20, 1));
    MetricOptions options;
    options.name = "ridge";
    core::Workers workers(1);
    const auto results = score_folds(plan, {test::view(kernel), 20}, options, {1, 3}, workers);
    REQUIRE(results.size() == 2);
    for (std::size_t f = 0; f < 2; ++f) {
        const auto& fold = plan.folds[f + 1];
        const auto r = stats::pearson_columns(
            stats::rows_of(plan.targets, fold.test),
            stats::ridge_predict({test::view(kernel), plan.targets, 20}, fold, 1.0));
        CHECK(results[f].r == std::vector<double>{r[2], r[1], r[0]});
        CHECK(results[f].route == gram_route);
    }
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
    const core::Margins narrow{0.5, 2 * stats::pls_guard_limit};
    core::Score score;
    note_margins(score, narrow, both_routes);
    CHECK(score.warnings.empty());
    note_margins(score, narrow, gram_route);
    REQUIRE(score.warnings.size() == 1);
    CHECK_THAT(score.warnings[0], Contains("lost digits"));
}

#include "metrics/registered_metrics.hpp"

#include <cmath>
#include <set>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "metrics/assemblies.hpp"
#include "stats/regression/ridge.hpp"
#include "stats/similarity/correlation.hpp"
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

MetricOptions named(const std::string& name) {
    MetricOptions options;
    options.name = name;
    options.cross_validation.splits = 4;
    return options;
}

}  // namespace

TEST_CASE("a metric takes the parameters of its splits and of its fit, and no other") {
    const auto takes_of = [](const std::string& name) {
        std::string taken;
        for (const char* parameter :
             {"splits", "stratification", "n_components", "alpha", "alphas", "gram_only"})
            if (takes(find_metric(name), parameter)) taken += std::string(parameter) + " ";
        return taken;
    };
    CHECK(takes_of("pls") == "splits stratification n_components ");
    CHECK(takes_of("pls_split") == "n_components ");
    CHECK(takes_of("reverse_pls_split") == "n_components ");
    CHECK(takes_of("scaled_ridge_cv") == "splits stratification alpha ");
    CHECK(takes_of("pertime_ridge") == "splits stratification alpha ");
    CHECK(takes_of("dual_ridge_split") == "alpha ");
    CHECK(takes_of("ridgecv_split") == "alphas ");
    CHECK(takes_of("dual_ridgecv_split") == "alphas ");
    CHECK(takes_of("linear_predictivity") == "splits stratification ");
    CHECK(takes_of("cka_cv") == "splits stratification ");
    CHECK(takes_of("cka").empty());
    CHECK(takes_of("rdm").empty());
}

TEST_CASE("every metric has a name of its own and can be found by it") {
    std::set<std::string> names;
    for (const auto& metric : registered_metrics()) {
        CHECK(find_metric(metric.name).name == metric.name);
        CHECK(metric.version >= 1);
        CHECK(names.insert(metric.name).second);
    }
    for (const char* name : {"pls", "pls_cv", "pls_split", "ridge", "ridge_cv", "ridge_split",
                             "cka", "cka_biased", "cka_cv", "rdm", "rdm_cv"})
        CHECK(names.count(name) == 1);
}

TEST_CASE("only names that end in split take given train and test sets") {
    for (const auto& metric : registered_metrics())
        CHECK((metric.form == MetricForm::train_test) ==
              (metric.name.find("_split") != std::string::npos));
}

TEST_CASE("a metric that is not there is an error that lists those there are") {
    CHECK_THROWS_AS(find_metric("ckaa"), core::InputError);
    CHECK_THROWS_WITH(find_metric("ridg"), Contains("'ridg'") && Contains("pls_split") &&
                                               Contains("did you mean 'ridge'"));
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
            stats::ridge_predict({test::view(kernel), plan.targets, 20}, fold, 1.0, workers));
        CHECK(results[f].r == std::vector<double>{r[2], r[1], r[0]});
        CHECK(results[f].route == gram_route);
    }
}

TEST_CASE("a scaled metric's targets have mean 0 and deviation 1, a constant one stays at 0") {
    stats::Matrix values = test::formula_targets(12, 3);
    values.col(1).setConstant(7);
    const auto plan = plan_metric(named("scaled_ridge_cv"), test::assembly_of(values));
    for (const Eigen::Index j : {0, 2}) {
        CHECK(plan.targets.col(j).mean() == Approx(0).margin(1e-14));
        CHECK(std::sqrt(plan.targets.col(j).squaredNorm() / 12) == Approx(1));
    }
    CHECK(plan.targets.col(1).isZero());
}

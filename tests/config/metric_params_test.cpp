#include "config/metric_params.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using Catch::Matchers::Contains;
using ventral::config::check_ceiling_params;
using ventral::config::metric_options;
using ventral::core::InputError;

namespace {

ventral::metrics::CrossValidationOptions cross_validation(const std::string& arguments) {
    return metric_options("pls", R"({"crossvalidation_kwargs": )" + arguments + "}")
        .cross_validation;
}

ventral::metrics::MetricOptions regression(const std::string& arguments) {
    return metric_options("pls", R"({"regression_kwargs": )" + arguments + "}");
}

}  // namespace

TEST_CASE("without parameters a metric has the reference's defaults") {
    for (const std::string text : {"", "{}", R"({"crossvalidation_kwargs": {}})"}) {
        const auto options = metric_options("ridge", text);
        CHECK(options.name == "ridge");
        CHECK(options.cross_validation.splits == 10);
        CHECK(!options.cross_validation.train_size);
        CHECK(options.cross_validation.stratification_coordinate == "object_name");
        CHECK(options.cross_validation.random_state == 1);
        CHECK(options.n_components == 25);
        CHECK(options.alpha == 1.0);
    }
}

TEST_CASE("every argument of the reference's cross-validation can be given") {
    const auto options = cross_validation(
        R"({"splits": 4, "train_size": 0.8, "test_size": 0.1, "kfold": true,
            "split_coord": "variation", "stratification_coord": "category",
            "unique_split_values": true, "random_state": 7})");
    CHECK(options.splits == 4);
    CHECK(options.train_size == 0.8);
    CHECK(options.test_size == 0.1);
    CHECK(options.kfold);
    CHECK(options.split_coordinate == "variation");
    CHECK(options.stratification_coordinate == "category");
    CHECK(options.unique_split_values);
    CHECK(options.random_state == 7);
}

TEST_CASE("null means none, as it does in Python") {
    const auto options = cross_validation(R"({"train_size": null, "stratification_coord": null})");
    CHECK(!options.train_size);
    CHECK(!options.stratification_coordinate);
}

TEST_CASE("a size that is not given is the reference's default, one that is null is none") {
    const auto sizes = [](const std::string& name, const std::string& arguments) {
        const auto split = metric_options(name, R"({"crossvalidation_kwargs": )" + arguments + "}")
                               .cross_validation;
        return std::pair(split.train_size.value_or(0), split.test_size.value_or(0));
    };
    using Sizes = std::pair<double, double>;  // 0: none
    CHECK(sizes("ridge", R"({"test_size": 0.05})") == Sizes(0.9, 0.05));
    CHECK(sizes("ridge", R"({"train_size": null, "test_size": 0.05})") == Sizes(0, 0.05));
    CHECK(sizes("ridge", R"({"train_size": 0.5})") == Sizes(0.5, 0));
    CHECK(sizes("ridge", R"({"train_size": 20, "test_size": 5})") == Sizes(20, 5));
    CHECK(sizes("rdm_cv", R"({"train_size": 0.05})") == Sizes(0.05, 0.9));
    CHECK(sizes("cka_cv", R"({"train_size": 0.5, "test_size": null})") == Sizes(0.5, 0));
    CHECK(sizes("cka_cv", R"({"test_size": null})") == Sizes(0.9, 0));
    CHECK(sizes("cka_cv", "{}") == Sizes(0, 0));
}

TEST_CASE("the arguments of the regressions can be given") {
    CHECK(regression(R"({"n_components": 3})").n_components == 3);
    const auto alpha = [](const std::string& value) {
        return metric_options("ridge", R"({"regression_kwargs": {"alpha": )" + value + "}}").alpha;
    };
    CHECK(alpha("0.5") == 0.5);
    CHECK(alpha("2") == 2.0);
    CHECK_THROWS_WITH(alpha("0"), Contains("above 0"));
}

TEST_CASE("asking for float64 changes nothing: all is computed in it") {
    CHECK(metric_options("ridge", R"({"upcast_to_float64": true})").alpha == 1.0);
}

TEST_CASE("an unknown key is an error that names the nearest one") {
    CHECK_THROWS_AS(cross_validation(R"({"split": 3})"), InputError);
    CHECK_THROWS_WITH(cross_validation(R"({"split": 3})"),
                      Contains("--params: unknown key 'split'") &&
                          Contains("in crossvalidation_kwargs") && Contains("'splits'"));
    CHECK_THROWS_WITH(metric_options("pls", R"({"regression_kwarg": {}})"),
                      Contains("'regression_kwargs'"));
    CHECK_THROWS_WITH(regression(R"({"tol": 1e-6})"),
                      Contains("unknown key 'tol'") && Contains("known: "));
}

TEST_CASE("values of the wrong type or out of range are errors that say what is wanted") {
    CHECK_THROWS_WITH(cross_validation(R"({"splits": 0})"), Contains("'splits'"));
    CHECK_THROWS_WITH(cross_validation(R"({"splits": 2.5})"), Contains("whole number"));
    CHECK_THROWS_WITH(cross_validation(R"({"splits": 100001})"), Contains("at most 100000"));
    CHECK_THROWS_WITH(cross_validation(R"({"splits": 18446744073709551615})"),
                      Contains("'splits'"));
    CHECK_THROWS_WITH(cross_validation(R"({"train_size": 1.0})"), Contains("between 0 and 1"));
    CHECK_THROWS_WITH(cross_validation(R"({"train_size": 0})"), Contains("between 0 and 1"));
    CHECK_THROWS_WITH(cross_validation(R"({"test_size": "half"})"), Contains("'test_size'"));
    CHECK_THROWS_WITH(cross_validation(R"({"kfold": 1})"), Contains("true or false"));
    CHECK_THROWS_WITH(cross_validation(R"({"split_coord": 1})"), Contains("a text"));
    CHECK_THROWS_WITH(cross_validation(R"({"stratification_coord": 1})"), Contains("a text"));
    CHECK_THROWS_WITH(cross_validation(R"({"random_state": -1})"), Contains("'random_state'"));
    CHECK_THROWS_WITH(cross_validation(R"({"random_state": 4294967296})"),
                      Contains("'random_state'"));
    CHECK(cross_validation(R"({"random_state": 4294967295})").random_state == 4294967295U);
    CHECK_THROWS_WITH(regression(R"({"n_components": 0})"), Contains("'n_components'"));
    CHECK_THROWS_WITH(regression("3"), Contains("an object"));
}

TEST_CASE("what another metric takes is an error") {
    CHECK_THROWS_WITH(
        regression(R"({"alpha": 3})"),
        "--params: the metric 'pls' takes no 'alpha' (its regression has 'n_components')");
    CHECK_THROWS_WITH(
        metric_options("pls", R"({"alphas": [1]})"),
        "--params: the metric 'pls' takes no 'alphas' (its regression has 'n_components')");
    CHECK(metric_options("ridgecv_split", R"({"alphas": [1]})").alphas == std::vector{1.0});
    // But splits may be told to a metric that draws none.
    CHECK(metric_options("rdm", R"({"crossvalidation_kwargs": {"splits": 3}})").name == "rdm");
}

TEST_CASE("parameters that are no JSON object are refused") {
    CHECK_THROWS_AS(metric_options("pls", "{"), InputError);
    CHECK_THROWS_WITH(metric_options("pls", "splits=3"), Contains("--params: not JSON"));
    CHECK_THROWS_WITH(metric_options("pls", "[1]"), Contains("an object"));
    CHECK_THROWS_WITH(regression(R"({"alpha": 1e999})"), Contains("not JSON"));
}

TEST_CASE("a ceiling takes no parameters but what changes nothing") {
    CHECK_NOTHROW(check_ceiling_params(""));
    CHECK_NOTHROW(check_ceiling_params("{}"));
    CHECK_NOTHROW(check_ceiling_params(R"({"upcast_to_float64": ["even"]})"));
    CHECK_THROWS_AS(check_ceiling_params(R"({"splits": 5})"), InputError);
}

#include "config/metric_table.hpp"

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using namespace ventral::config;
using ventral::test::input_error;

namespace {

ventral::metrics::MetricOptions metric(const std::string& text) {
    const auto contents = toml::parse("m = " + text);
    return read_metric(Value("a.toml", "'m'", *contents.get("m")));
}

ventral::metrics::CeilingOptions ceiling(const std::string& text) {
    const auto contents = toml::parse("c = " + text);
    return read_ceiling(Value("a.toml", "'c'", *contents.get("c")));
}

}  // namespace

TEST_CASE("a bare name is a metric with the reference's defaults") {
    const auto options = metric("'pls'");
    CHECK(options.name == "pls");
    CHECK(options.cross_validation.splits == 10);
    CHECK(!options.cross_validation.train_size);
    CHECK(options.cross_validation.stratification_coordinate == "object_name");
    CHECK(options.n_components == 25);
    CHECK(options.alpha == 1.0);
}

TEST_CASE("every parameter of a metric can be set") {
    const auto options = metric(
        "{ name = 'pls', splits = 4, train_size = 0.8, test_size = 0.2, "
        "stratification = 'category', unique_split_values = true, n_components = 3 }");
    CHECK(options.cross_validation.splits == 4);
    CHECK(options.cross_validation.train_size == 0.8);
    CHECK(options.cross_validation.test_size == 0.2);
    CHECK(options.cross_validation.stratification_coordinate == "category");
    CHECK(options.cross_validation.unique_split_values);
    CHECK(options.n_components == 3);
    CHECK(metric("{ name = 'pls', kfold = true }").cross_validation.kfold);
    CHECK(metric("{ name = 'ridge', alpha = 2 }").alpha == 2.0);
}

TEST_CASE("of sizes one that is not said is the reference's default, none leaves the rest to it") {
    const auto alone = metric("{ name = 'pls', test_size = 0.05 }").cross_validation;
    CHECK(alone.train_size == 0.9);
    CHECK(alone.test_size == 0.05);
    const auto rest =
        metric("{ name = 'pls', train_size = 'none', test_size = 0.2 }").cross_validation;
    CHECK(!rest.train_size);
    CHECK(rest.test_size == 0.2);
}

TEST_CASE("stratification none means not stratified") {
    CHECK(!metric("{ name = 'pls', stratification = 'none' }")
               .cross_validation.stratification_coordinate);
}

TEST_CASE("train and test sizes may be everything together and not more") {
    CHECK_NOTHROW(metric("{ name = 'pls', train_size = 0.9, test_size = 0.1 }"));
    CHECK(
        input_error([] { metric("{ name = 'pls', train_size = 0.9, test_size = 0.2 }"); }) ==
        "a.toml:1:51: 'train_size' and 'test_size' are more than 1 together (0.9 is trained on, or "
        "compared without a fit, unless that size is given too, or \"none\")");
    CHECK(input_error([] {
              metric("{ name = 'pls', test_size = 0.2 }");
          }).starts_with("a.toml:1:33: 'train_size' and 'test_size' are more than 1 together"));
    CHECK_NOTHROW(metric("{ name = 'rdm', test_size = 0.5 }"));  // it draws no splits
    CHECK(input_error([] { metric("{ name = 'pls', train_size = 1.0 }"); }) ==
          "a.toml:1:34: 'train_size' must be above 0 and below 1, or a whole number of at least 1, "
          "not the fraction 1");
}

TEST_CASE("train and test sizes may be numbers of values") {
    const auto counts =
        metric("{ name = 'pls', train_size = 40, test_size = 10 }").cross_validation;
    CHECK(counts.train_size == 40);
    CHECK(counts.test_size == 10);
    CHECK(metric("{ name = 'pls', test_size = 10 }").cross_validation.train_size == 0.9);
}

TEST_CASE("a wrong parameter of a metric is an error at its place") {
    CHECK(input_error([] { metric("{ splits = 3 }"); }) ==
          "a.toml:1:5: key 'name' is missing (there are: splits)");
    CHECK(input_error([] { metric("{ name = 'pls', kfold = true, splits = 1 }"); }) ==
          "a.toml:1:44: 'splits' must be from 2 to 100000, not 1");
    CHECK(input_error([] { metric("{ name = 'pls', alpha = 5 }"); }) ==
          "a.toml:1:29: the metric 'pls' takes no 'alpha' (its regression has 'n_components')");
    CHECK(input_error([] { metric("{ name = 'cka', n_components = 3 }"); }) ==
          "a.toml:1:36: the metric 'cka' takes no 'n_components' (no parameter of a regression)");
    CHECK(metric("{ name = 'cka', splits = 3 }").name == "cka");
    CHECK(input_error([] { metric("{ name = 'ridge', alpha = 0 }"); }) ==
          "a.toml:1:31: 'alpha' must be above 0, not 0");
    CHECK(input_error([] { metric("{ name = 'pls', n_components = 0 }"); }) ==
          "a.toml:1:36: 'n_components' must be from 1 to 100000, not 0");
    CHECK_THAT(input_error([] { metric("{ name = 'pls', split = 3 }"); }),
               Catch::StartsWith("a.toml:1:21: unknown key 'split', did you mean 'splits'"));
    CHECK(input_error([] { metric("3"); }) ==
          "a.toml:1:5: 'm' must be a table { name = … } or the name of a metric, not an integer");
}

TEST_CASE("k-fold excludes sizes of its sides, where splits are drawn") {
    CHECK_THAT(input_error([] { metric("{ name = 'pls', kfold = true, train_size = 0.5 }"); }),
               Catch::StartsWith("a.toml:1:48: kfold = true excludes train_size"));
    CHECK_THAT(input_error([] {
                   metric("{ name = 'pls', test_size = 'none', train_size = 0.5, kfold = true }");
               }),
               Catch::StartsWith("a.toml:1:54: kfold = true excludes train_size"));
    CHECK_THAT(input_error([] { metric("{ name = 'rdm_cv', kfold = true }"); }),
               Catch::StartsWith("a.toml:1:32: kfold = true excludes train_size"));
    CHECK(metric("{ name = 'rdm_cv', kfold = true, test_size = 'none' }").cross_validation.kfold);
    CHECK(metric("{ name = 'cka', kfold = true, train_size = 0.5 }").cross_validation.kfold);
}

TEST_CASE("k-fold over what has one split so far needs splits too") {
    ventral::metrics::MetricOptions options;
    options.name = "pls";
    options.cross_validation.splits = 1;
    const auto contents = toml::parse("kfold = true\n");
    Table table("a.toml", contents);
    CHECK(input_error([&] { read_metric_parameters(options, table); }) ==
          "a.toml:1:9: 'kfold' needs at least 2 splits, not 1 (give 'splits' too)");
}

TEST_CASE("a ceiling is a name or a table with a name") {
    CHECK(ceiling("'none'").name == "none");
    CHECK(ceiling("{ name = 'rsa_ceiling' }").name == "rsa_ceiling");
    CHECK(input_error([] { ceiling("{ name = 'rsa_ceiling', splits = 2 }"); }) ==
          "a.toml:1:29: unknown key 'splits' (known: name)");
}

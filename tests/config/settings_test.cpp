#include "config/settings.hpp"

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using namespace ventral::config;
using Catch::Matchers::Contains;
using ventral::test::input_error;

namespace {

RunRecord two_benchmarks() {
    RunRecord run;
    run.benchmarks.resize(2);
    run.benchmarks[0].metric.name = "pls";
    run.benchmarks[1].metric.name = "ridge";
    return run;
}

}  // namespace

TEST_CASE("a parameter of cross-validation is set for every benchmark, the rest stays") {
    auto run = two_benchmarks();
    apply_settings(run, {"metric.splits=4", "metric.train_size=0.5"});
    for (const auto& benchmark : run.benchmarks) {
        CHECK(benchmark.metric.cross_validation.splits == 4);
        CHECK(benchmark.metric.cross_validation.train_size == 0.5);
        CHECK(benchmark.metric.cross_validation.stratification_coordinate == "object_name");
    }
    CHECK(run.benchmarks[1].metric.name == "ridge");
}

TEST_CASE("a list is set, and what is wrong in it told by its place") {
    RunRecord run;
    run.benchmarks.resize(1);
    run.benchmarks[0].metric.name = "ridgecv_split";
    apply_settings(run, {"metric.alphas=[0.1, 2]"});
    CHECK(run.benchmarks[0].metric.alphas == std::vector<double>{0.1, 2});
    CHECK_THAT(input_error([&] { apply_settings(run, {"metric.alphas=[0.1, 'x']"}); }),
               Contains("--set metric.alphas=[0.1, 'x']: entry 2 of 'alphas'"));
}

TEST_CASE("nothing is set of a benchmark that is wrong") {
    auto run = two_benchmarks();
    run.benchmarks[0] = {};
    run.benchmarks[0].problem = "b.toml: not TOML";
    apply_settings(run, {"metric.splits=4", "metric.alpha=2"});
    CHECK(run.benchmarks[0].metric == ventral::metrics::MetricOptions{});
    CHECK(run.benchmarks[1].metric.cross_validation.splits == 4);
    CHECK_THAT(input_error([&] { apply_settings(run, {"metric.alphas=[1, 2]"}); }),
               Contains("(they are ridge)"));
}

TEST_CASE("a parameter that no metric of the run takes is an error") {
    auto run = two_benchmarks();
    apply_settings(run, {"metric.alpha=2"});
    CHECK(run.benchmarks[1].metric.alpha == 2);
    // PLS has none, so that its scores stay what they are.
    CHECK(run.benchmarks[0].metric.alpha == 1);
    CHECK_THAT(input_error([&] { apply_settings(run, {"metric.alphas=[0.1, 2]"}); }),
               Contains("no metric of the run takes 'alphas' (they are pls, ridge)"));
    CHECK_THAT(input_error([&] { apply_settings(run, {"metric.alpah=2"}); }),
               Contains("unknown key 'alpah'") && Contains("'alpha'"));
    for (auto& benchmark : run.benchmarks) benchmark.metric.name = "cka";
    CHECK_THAT(input_error([&] { apply_settings(run, {"metric.splits=4"}); }),
               Contains("no metric of the run takes 'splits' (they are cka)"));
    CHECK(run.settings == std::vector<std::string>{"metric.alpha=2"});
}

TEST_CASE("parameters that are right only together may come in any order") {
    for (const auto& settings :
         {std::vector<std::string>{"metric.test_size=0.8", "metric.train_size=0.2"},
          {"metric.train_size=0.2", "metric.test_size=0.8"}}) {
        auto run = two_benchmarks();
        apply_settings(run, settings);
        CHECK(run.benchmarks[0].metric.cross_validation.train_size == 0.2);
        CHECK(run.benchmarks[0].metric.cross_validation.test_size == 0.8);
        CHECK(run.settings == settings);
    }
}

TEST_CASE("parameters that do not go together are an error in any order, at one of them") {
    for (const auto& settings : {std::vector<std::string>{"metric.kfold=true", "metric.splits=1"},
                                 {"metric.splits=1", "metric.kfold=true"}}) {
        auto run = two_benchmarks();
        CHECK(input_error([&] { apply_settings(run, settings); }) ==
              "--set metric.splits=1: 'splits' must be from 2 to 100000, not 1");
        CHECK_FALSE(run.benchmarks[0].metric.cross_validation.kfold);
        CHECK(run.settings.empty());
    }
    auto run = two_benchmarks();
    CHECK_THAT(input_error([&] {
                   apply_settings(run, {"metric.alpha=2", "metric.test_size=0.8"});
               }),
               Catch::StartsWith("--set metric.test_size=0.8: 'train_size' and 'test_size'"));
}

TEST_CASE("k-fold is refused for a benchmark of a single split") {
    auto run = two_benchmarks();
    run.benchmarks[1].identifier = "V4-ridge";
    run.benchmarks[1].metric.cross_validation.splits = 1;
    CHECK(input_error([&] { apply_settings(run, {"metric.kfold=true"}); }) ==
          "--set metric.kfold=true on V4-ridge: 'kfold' needs at least 2 splits, not 1 (give "
          "'splits' too)");
    apply_settings(run, {"metric.kfold=true", "metric.splits=2"});
    CHECK(run.benchmarks[1].metric.cross_validation.kfold);
}

TEST_CASE("of parameters those are noted down without which the run would be another") {
    auto run = two_benchmarks();
    for (auto& benchmark : run.benchmarks) {
        benchmark.metric.cross_validation.train_size = 0.9;
        benchmark.metric.cross_validation.test_size = 0.1;
    }
    apply_settings(run, {"metric.train_size=0.9", "metric.test_size=0.05"});
    CHECK(run.settings == std::vector<std::string>{"metric.test_size=0.05"});
    // Without the train size 0.9 would be trained on.
    for (auto& benchmark : run.benchmarks) benchmark.metric.cross_validation.train_size.reset();
    run.settings.clear();
    apply_settings(run, {"metric.train_size=none", "metric.test_size=0.07"});
    CHECK(run.settings ==
          std::vector<std::string>{"metric.train_size=none", "metric.test_size=0.07"});
}

TEST_CASE("blanks around the sign do not matter") {
    auto run = two_benchmarks();
    apply_settings(run, {"seed = 7"});
    CHECK(run.seed == 7);
    CHECK_THAT(input_error([&] {
                   apply_settings(run, {"seed =8", "seed=8"});
               }),
               Contains("seed is set already"));
}

TEST_CASE("a bare word is a text") {
    auto run = two_benchmarks();
    apply_settings(run, {"metric.stratification=none", "normalisation=none", "seed=7"});
    CHECK_FALSE(run.benchmarks[0].metric.cross_validation.stratification_coordinate);
    CHECK(run.benchmarks[1].normalisation == "none");
    CHECK(run.seed == 7);
}

TEST_CASE("a run remembers what has changed it") {
    auto run = two_benchmarks();
    apply_settings(run, {"metric.splits=4", "seed=0", "metric.alpha=1.0", "normalisation=none"});
    CHECK(run.settings == std::vector<std::string>{"metric.splits=4", "normalisation=none"});
}

TEST_CASE("a key is set once") {
    auto run = two_benchmarks();
    CHECK_THAT(input_error([&] {
                   apply_settings(run, {"seed=0", "seed=8"});
               }),
               Contains("--set seed=8: seed is set already (--set seed=0)"));
    CHECK(run.seed == 0);
}

TEST_CASE("a parameter without its prefix is answered with the form of it") {
    auto run = two_benchmarks();
    CHECK_THAT(input_error([&] { apply_settings(run, {"splits=4"}); }),
               Contains("--set splits=4: unknown key 'splits'") && Contains("metric.PARAMETER"));
    CHECK(run.settings.empty());
}

TEST_CASE("what cannot be set is an error that repeats the setting, which has no lines") {
    auto run = two_benchmarks();
    for (const std::string setting : {"metric.split=4", "metric.splits=0", "metric.splits=x",
                                      "metric.name=ridge", "models=a", "seed", "=3", "seed="}) {
        const auto error = input_error([&] { apply_settings(run, {setting}); });
        CHECK_THAT(error, Contains("--set " + setting + ": "));
    }
}

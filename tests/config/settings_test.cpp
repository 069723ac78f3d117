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

TEST_CASE("a parameter of the metric is set for every benchmark, the rest stays") {
    auto run = two_benchmarks();
    apply_setting(run, "metric.splits=4");
    apply_setting(run, "metric.train_size=0.5");
    apply_setting(run, "metric.alphas=[0.1, 2]");
    for (const auto& benchmark : run.benchmarks) {
        CHECK(benchmark.metric.cross_validation.splits == 4);
        CHECK(benchmark.metric.cross_validation.train_size == 0.5);
        CHECK(benchmark.metric.alphas == std::vector<double>{0.1, 2});
        CHECK(benchmark.metric.cross_validation.stratification_coordinate == "object_name");
    }
    CHECK(run.benchmarks[1].metric.name == "ridge");
}

TEST_CASE("a bare word is a text") {
    auto run = two_benchmarks();
    apply_setting(run, "metric.stratification=none");
    CHECK_FALSE(run.benchmarks[0].metric.cross_validation.stratification_coordinate);
    apply_setting(run, "normalisation=none");
    CHECK(run.benchmarks[1].normalisation == "none");
    apply_setting(run, "seed=7");
    CHECK(run.seed == 7);
}

TEST_CASE("a run remembers what was set") {
    auto run = two_benchmarks();
    apply_setting(run, "metric.splits=4");
    apply_setting(run, "seed=7");
    CHECK(run.settings == std::vector<std::string>{"metric.splits=4", "seed=7"});
    CHECK_THAT(input_error([&] { apply_setting(run, "seed=8"); }),
               Contains("seed is set already (--set seed=7)"));
    CHECK(run.seed == 7);
}

TEST_CASE("a parameter without its prefix is answered with the form of it") {
    auto run = two_benchmarks();
    CHECK_THAT(input_error([&] { apply_setting(run, "splits=4"); }),
               Contains("--set splits=4: unknown key 'splits'") && Contains("metric.PARAMETER"));
    CHECK(run.settings.empty());
}

TEST_CASE("what cannot be set is an error that repeats the setting") {
    auto run = two_benchmarks();
    for (const std::string setting : {"metric.split=4", "metric.splits=0", "metric.splits=x",
                                      "metric.name=ridge", "models=a", "seed", "=3", "seed="}) {
        const auto error = input_error([&] { apply_setting(run, setting); });
        CHECK_THAT(error, Contains("--set " + setting));
    }
}

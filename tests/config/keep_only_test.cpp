#include "config/keep_only.hpp"

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using namespace ventral::config;
using ventral::test::input_error;

namespace {

RunRecord two_by_two() {
    RunRecord run;
    run.origin = "r.toml";
    for (const char* name : {"alpha", "beta"}) {
        ventral::models::ModelRecord model;
        model.identifier = name;
        run.models.push_back(model);
        run.listed_layers[name] = {{"layer"}};
    }
    for (const char* name : {"day1", "day2"}) {
        ventral::benchmarks::BenchmarkRecord benchmark;
        benchmark.identifier = std::string(name) + "-pls";
        benchmark.dataset = name;
        run.benchmarks.push_back(benchmark);
        run.datasets[name].identifier = name;
    }
    return run;
}

}  // namespace

TEST_CASE("empty lists keep the whole run") {
    auto run = two_by_two();
    keep_only(run, {}, {});
    CHECK(run.models.size() == 2);
    CHECK(run.benchmarks.size() == 2);
    CHECK(run.datasets.size() == 2);
}

TEST_CASE("only the named models and benchmarks stay, with what they use") {
    auto run = two_by_two();
    keep_only(run, {"beta"}, {"day1-pls"});
    REQUIRE(run.models.size() == 1);
    CHECK(run.models[0].identifier == "beta");
    CHECK(run.listed_layers.count("alpha") == 0);
    REQUIRE(run.benchmarks.size() == 1);
    CHECK(run.benchmarks[0].identifier == "day1-pls");
    CHECK(run.datasets.size() == 1);
    CHECK(run.datasets.count("day1") == 1);
}

TEST_CASE("the dataset that a model's PCA is fitted on stays with the model") {
    auto run = two_by_two();
    run.models[1].pca = ventral::models::PcaRecord{16, "day2"};
    keep_only(run, {"beta"}, {"day1-pls"});
    CHECK(run.datasets.count("day2") == 1);
    keep_only(run, {}, {});
    CHECK(run.datasets.size() == 2);
}

TEST_CASE("names are kept in the order of the run") {
    auto run = two_by_two();
    keep_only(run, {"beta", "alpha"}, {});
    CHECK(run.models.at(0).identifier == "alpha");
}

TEST_CASE("a name that the run does not have is an error") {
    auto run = two_by_two();
    CHECK(input_error([&] { keep_only(run, {"bta"}, {}); }) ==
          "r.toml: --models: unknown model 'bta', did you mean 'beta'? (known: alpha, beta)");
    CHECK(input_error([&] { keep_only(run, {}, {"x"}); }) ==
          "r.toml: --benchmarks: unknown benchmark 'x' (known: day1-pls, day2-pls)");
}

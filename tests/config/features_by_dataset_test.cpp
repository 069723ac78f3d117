#include "config/features_by_dataset.hpp"

#include <catch2/catch.hpp>

using namespace ventral;
using config::choose_features;

namespace {

benchmarks::BenchmarkRecord benchmark_on(const std::string& dataset) {
    benchmarks::BenchmarkRecord benchmark;
    benchmark.dataset = dataset;
    return benchmark;
}

}  // namespace

TEST_CASE("features by dataset are a record for each dataset of the benchmarks") {
    config::RunRecord run;
    models::ModelRecord stored;
    stored.identifier = "stored";
    stored.origin = "stored.toml";
    stored.features_of = {{"day1", {"day1.nc", "rates"}}, {"day3", {"day3.nc", ""}}};
    models::ModelRecord network;
    network.identifier = "network";
    run.models = {stored, network};
    run.benchmarks = {benchmark_on("day2"), benchmark_on("day1"), benchmark_on("day2")};
    run.benchmarks.emplace_back().problem = "wrong.toml: of no dataset";
    run.datasets["photos"];  // a network's PCA is fitted on it
    choose_features(run);
    REQUIRE(run.models.size() == 3);
    CHECK(run.models[0].identifier == "stored");
    CHECK(run.models[0].dataset == "day1");
    CHECK(run.models[0].features.path == "day1.nc");
    CHECK(run.models[0].features.variable == "rates");
    CHECK(run.models[0].problem.empty());
    CHECK(run.models[1].identifier == "stored");
    CHECK(run.models[1].dataset == "day2");
    CHECK(run.models[1].features.path.empty());
    CHECK(run.models[1].problem ==
          "stored.toml: 'features' has no file for dataset 'day2' (it has those of day1, day3) add "
          "it");
    CHECK(has_stored_features(run.models[1]));
    CHECK(run.models[2].identifier == "network");
    CHECK(run.models[2].dataset.empty());
}

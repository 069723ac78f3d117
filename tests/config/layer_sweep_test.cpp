#include "config/layer_sweep.hpp"

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using namespace ventral::config;
using ventral::test::input_error;

namespace {

RunRecord run_of_two_regions() {
    RunRecord run;
    run.origin = "r.toml";
    ventral::models::ModelRecord model;
    model.identifier = "m";
    model.origin = "m.toml";
    model.candidate_layers = {"a", "b"};
    run.models.push_back(model);
    for (const char* region : {"V4", "IT"}) {
        ventral::benchmarks::BenchmarkRecord benchmark;
        benchmark.identifier = std::string(region) + "-pls";
        benchmark.region = region;
        benchmark.dataset = region;
        run.benchmarks.push_back(benchmark);
        run.datasets[region].identifier = region;
    }
    return run;
}

}  // namespace

TEST_CASE("a sweep has the candidates of all models on the region's benchmarks") {
    auto run = run_of_two_regions();
    make_layer_sweep(run, "IT");
    REQUIRE(run.benchmarks.size() == 1);
    CHECK(run.benchmarks[0].identifier == "IT-pls");
    CHECK(run.datasets.count("V4") == 0);
    CHECK(run.layers == LayerChoice::candidates);
}

TEST_CASE("a sweep keeps a choice of layers that is not the committed one") {
    auto run = run_of_two_regions();
    run.layers = LayerChoice::listed;
    run.listed_layers["m"] = {{"a"}, {"a", "b"}};
    make_layer_sweep(run, "V4");
    CHECK(run.layers == LayerChoice::listed);
    CHECK(layers_named(run, "m", "a+b") == LayerSet{"a", "b"});
    CHECK(layers_named(run, "m", "a") == LayerSet{"a"});
    CHECK(layers_named(run, "other", "x+y") == LayerSet{"x+y"});
}

TEST_CASE("layers are not chosen on private recordings") {
    auto run = run_of_two_regions();
    run.datasets["IT"].access = ventral::benchmarks::Access::restricted;
    CHECK_THAT(input_error([&] { make_layer_sweep(run, "IT"); }),
               Catch::Contains("'IT-pls' may not choose layers") && Catch::Contains("private"));
    run = run_of_two_regions();
    run.datasets["IT"].access = ventral::benchmarks::Access::restricted;
    CHECK(input_error([&] { make_layer_sweep(run, "V4"); }).empty());
}

TEST_CASE("layers are not chosen on fewer benchmarks than are wanted") {
    auto run = run_of_two_regions();
    run.benchmarks[0].problem = "V4.toml: not TOML";
    run.benchmarks[0].region.clear();
    CHECK(input_error([&] { make_layer_sweep(run, "IT"); }) == "V4.toml: not TOML");
}

TEST_CASE("a sweep without a benchmark or without candidates is refused") {
    auto run = run_of_two_regions();
    CHECK_THAT(input_error([&] { make_layer_sweep(run, "V1"); }), Catch::Contains("V1"));
    run.models[0].candidate_layers.clear();
    CHECK_THAT(input_error([&] { make_layer_sweep(run, "V4"); }),
               Catch::Contains("no candidate layers"));
    run = run_of_two_regions();
    run.models[0].candidate_layers.clear();
    run.models[0].features.path = "stored.nc";
    CHECK(input_error([&] { make_layer_sweep(run, "V4"); }).empty());
}

#include "pipeline/stored_features.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral;

namespace {

/// Value 10 presentation + neuroid; layers in the order relu, conv, relu.
core::Assembly features() {
    core::Assembly assembly;
    assembly.dims = {{"presentation", 2}, {"neuroid", 3}};
    assembly.values = std::vector<float>{0, 1, 2, 10, 11, 12};
    assembly.coordinates = {{"stimulus_id", "presentation", std::vector<std::string>{"s", "t"}},
                            {"layer", "neuroid", std::vector<std::string>{"relu", "conv", "relu"}}};
    return assembly;
}

}  // namespace

TEST_CASE("the layers are those of the neuroids, in order of appearance") {
    CHECK(pipeline::stored_layers(features()) == std::vector<std::string>{"relu", "conv"});
}

TEST_CASE("a layer is its columns, presentation by presentation") {
    const auto relu = pipeline::stored_layer(features(), "relu");
    CHECK(core::as_float64(relu.values) == std::vector<double>{0, 2, 10, 12});
    CHECK(core::texts(relu, "stimulus_id") == std::vector<std::string>{"s", "t"});
    const auto turned = core::transpose(features(), {"neuroid", "presentation"});
    CHECK(pipeline::stored_layer(turned, "relu").values == relu.values);
}

TEST_CASE("a layer that changes in time is averaged into each bin, bin after bin") {
    // Bins 0–10, 10–20 and 20–40 ms; the value is 100 bin + 10 presentation + neuroid.
    core::Assembly timed = features();
    timed.dims.push_back({"time_bin", 3});
    timed.values = std::vector<float>{0,  100, 200, 1,  101, 201, 2,  102, 202,
                                      10, 110, 210, 11, 111, 211, 12, 112, 212};
    timed.coordinates.push_back(
        {"time_bin_start", "time_bin", std::vector<std::int64_t>{0, 10, 20}});
    timed.coordinates.push_back(
        {"time_bin_end", "time_bin", std::vector<std::int64_t>{10, 20, 40}});
    CHECK(pipeline::change_in_time(timed));
    CHECK_FALSE(pipeline::change_in_time(features()));
    CHECK_FALSE(pipeline::change_in_time(core::take(timed, "time_bin", {1})));
    CHECK(pipeline::stored_layer_size(timed, "relu") == 2);
    // 10–40 ms: the second bin whole and the third whole, each of weight 1; then 0–10 ms.
    const auto relu = pipeline::stored_layer(timed, "relu", {{10, 40}, {0, 10}});
    CHECK(core::as_float64(relu.values) == std::vector<double>{150, 152, 160, 162, 0, 2, 10, 12});
    CHECK(core::texts(relu, "stimulus_id") == std::vector<std::string>{"s", "t", "s", "t"});
    const auto own = pipeline::stored_layer(timed, "relu", {});
    CHECK(core::as_float64(own.values) ==
          std::vector<double>{0, 2, 10, 12, 100, 102, 110, 112, 200, 202, 210, 212});
    CHECK(pipeline::own_time_bins(timed) ==
          std::vector<benchmarks::TimeBin>{{0, 10}, {10, 20}, {20, 40}});
    CHECK(pipeline::own_time_bins(features()).empty());
    CHECK(pipeline::rows_in_time(timed) == 6);
    CHECK_THROWS_WITH(pipeline::stored_layer(timed, "relu", {{10, 50}}),
                      Catch::Contains("10 to 50 ms"));
    CHECK_THROWS_AS(pipeline::stored_layer(timed, "relu"), core::InputError);
}

TEST_CASE("features without layers are one layer") {
    auto plain = features();
    plain.coordinates.pop_back();
    CHECK(pipeline::stored_layers(plain) == std::vector<std::string>{pipeline::only_layer});
    CHECK(pipeline::stored_layer(plain, pipeline::only_layer).values == plain.values);
}

TEST_CASE("a layer that does not exist is an error with near names") {
    CHECK_THROWS_WITH(pipeline::stored_layer(features(), "convv"),
                      Catch::Contains("no layer 'convv'") && Catch::Contains("'conv'"));
}

TEST_CASE("features of one layer as they lie need no copy") {
    const auto all = features();
    const auto layers = pipeline::stored_layers(all);
    CHECK(layers.size() > 1);
    CHECK_FALSE(pipeline::is_layer_itself(all, layers.front()));
    const auto one = pipeline::stored_layer(all, layers.front());
    CHECK(pipeline::is_layer_itself(one, layers.front()));
    CHECK_FALSE(pipeline::is_layer_itself(core::transpose(one, {"neuroid", "presentation"}),
                                          layers.front()));
    CHECK_THROWS_AS(pipeline::is_layer_itself(one, "another"), core::InputError);
}

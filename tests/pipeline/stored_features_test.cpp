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

#include "pipeline/inputs/model_layers.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "support/small_network.hpp"
#include "support/small_run.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

TEST_CASE("a network's layers are those for the input that its preprocessing makes") {
    const test::TemporaryFolder folder;
    auto model = test::written_small_network_run(folder.path().string()).models[0];
    const auto layers = pipeline::model_layers(model);
    REQUIRE(layers.size() == 8);
    CHECK(layers[0].name == "stage1");
    CHECK(layers[0].shape == models::LayerShape{9, 2, 2});
    CHECK(layers[7].name == "logits");
    CHECK(layers[7].shape == models::LayerShape{26});

    model.preprocessing.reset();
    CHECK_THROWS_WITH(pipeline::model_layers(model),
                      Catch::StartsWith("network.toml") && Catch::Contains("--input-size"));
}

TEST_CASE("stored features have layers of one axis that cost nothing") {
    const test::TemporaryFolder folder;
    test::write_small_data(folder.path().string());
    const auto layers = pipeline::model_layers(test::small_run(folder.path().string()).models[0]);
    REQUIRE(layers.size() == 2);
    CHECK(layers[0].name == test::narrow_layer);
    CHECK(layers[0].shape == models::LayerShape{30});
    CHECK(layers[1].shape == models::LayerShape{90});
    CHECK(layers[1].flops == 0);
}

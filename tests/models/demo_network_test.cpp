#include "models/builtin/demo_network.hpp"

#include <cmath>
#include <numbers>

#include <catch2/catch.hpp>
#include <torch/script.h>

#include "support/temporary_folder.hpp"

using namespace ventral::models;

// REQUIRE only: libtorch has a CHECK of its own.

namespace {

struct WrittenNetwork {
    explicit WrittenNetwork(DemoWeights weights, std::uint64_t seed = 1) {
        write_demo_network(folder.file("network.ts"), weights, seed);
        module = torch::jit::load(folder.file("network.ts"));
    }
    at::Tensor weight(const std::string& layer) const {
        return module.attr(layer).toModule().attr("weight").toTensor();
    }
    /// The output of every stage, one after the other.
    std::vector<at::Tensor> stages(at::Tensor x) const {
        std::vector<at::Tensor> outputs;
        for (const auto& layer : demo_layers())
            outputs.push_back(x = module.attr(layer).toModule().forward({x}).toTensor());
        return outputs;
    }

    ventral::test::TemporaryFolder folder;
    mutable torch::jit::Module module;
};

/// A black-and-white wave whose stripes are `orientation` (radians) from upright.
at::Tensor grating(double orientation, double cycles_per_pixel) {
    auto image = torch::empty({1, 3, demo_input_pixels, demo_input_pixels});
    for (int c = 0; c < 3; ++c)
        for (int y = 0; y < demo_input_pixels; ++y)
            for (int x = 0; x < demo_input_pixels; ++x)
                image[0][c][y][x] =
                    std::sin(2 * std::numbers::pi * cycles_per_pixel *
                             (x * std::cos(orientation) + y * std::sin(orientation)));
    return image;
}

}  // namespace

TEST_CASE("a demo network is its stages, one after the other") {
    const WrittenNetwork network(DemoWeights::designed);
    const auto image = torch::rand({2, 3, demo_input_pixels, demo_input_pixels});
    const auto outputs = network.stages(image);
    REQUIRE(outputs.size() == 7);
    REQUIRE(outputs[0].sizes() == at::IntArrayRef({2, 9, 2, 2}));
    REQUIRE(outputs[1].sizes() == at::IntArrayRef({2, 8, 2, 2}));
    for (int i = 2; i < 7; ++i) REQUIRE(outputs[i].sizes() == at::IntArrayRef({2, 32 - i, 1, 1}));
    REQUIRE(network.module.forward({image}).toTensor().equal(outputs[6].flatten(1)));
}

TEST_CASE("stage 1 of the designed network is tuned to orientation") {
    const WrittenNetwork network(DemoWeights::designed);
    for (int i = 0; i < 9; ++i) {
        const auto image = grating(std::numbers::pi * i / 9, 0.125);
        const auto energy = network.stages(image)[0].mean({2, 3}).squeeze(0);
        REQUIRE(energy.argmax().item<int>() == i);
    }
}

TEST_CASE("stage 1 of the designed network does not see brightness") {
    const WrittenNetwork network(DemoWeights::designed);
    const auto energy =
        network.stages(torch::ones({1, 3, demo_input_pixels, demo_input_pixels}))[0];
    // The square root of 1e-6, which keeps its slope finite.
    REQUIRE(energy.max().item<double>() == Approx(1e-3).epsilon(1e-3));
}

TEST_CASE("later stages of the designed network are orthonormal contrasts") {
    const WrittenNetwork network(DemoWeights::designed);
    for (int i = 1; i < 7; ++i) {
        const auto filters = network.weight(demo_layers()[i]).to(torch::kFloat64).flatten(1);
        const auto products = filters.mm(filters.t());
        REQUIRE(products.allclose(torch::eye(filters.size(0), torch::kFloat64), 0, 1e-6));
        REQUIRE(filters.sum(1).abs().max().item<double>() < 1e-5);
    }
}

TEST_CASE("random weights have the designed shapes and depend on the seed") {
    const WrittenNetwork designed(DemoWeights::designed);
    const WrittenNetwork first(DemoWeights::random, 1), again(DemoWeights::random, 1);
    const WrittenNetwork other(DemoWeights::random, 2);
    for (const auto& layer : demo_layers()) {
        REQUIRE(first.weight(layer).sizes() == designed.weight(layer).sizes());
        REQUIRE(first.weight(layer).equal(again.weight(layer)));
        CHECK_FALSE(first.weight(layer).allclose(other.weight(layer)));
        const auto filters = first.weight(layer).to(torch::kFloat64).flatten(1);
        REQUIRE(filters.sum(1).abs().max().item<double>() < 1e-5);
        REQUIRE(
            filters.norm(2, 1).allclose(torch::ones(filters.size(0), torch::kFloat64), 0, 1e-6));
    }
}

TEST_CASE("a demo network that cannot be written is an error that names the path") {
    CHECK_THROWS_WITH(write_demo_network("/nowhere/network.ts", DemoWeights::designed, 1),
                      Catch::StartsWith("/nowhere/network.ts: "));
}

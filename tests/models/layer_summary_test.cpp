#include "models/recording/layer_summary.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "support/shared.hpp"
#include "support/temporary_folder.hpp"
#include "support/torch_fixture.hpp"

using namespace ventral::models;
using namespace ventral::test;

TEST_CASE("a layer has the shape of one stimulus and the arithmetic of all that is inside it") {
    const std::vector<float> ones(27, 1.0F);
    const ScriptedModule conv{"conv",
                              "def forward(self, x):\n  return torch.conv2d(x, self.weight)\n",
                              {{"weight", {3, 3, 1, 3}, ones}},
                              {},
                              ""};
    const ScriptedModule block{"block",
                               "def forward(self, x):\n"
                               "  x = torch.conv2d(self.conv.forward(x), self.weight)\n"
                               "  return (x, torch.mean(x))\n",
                               {{"weight", {3, 3, 1, 3}, ones}},
                               {conv},
                               ""};
    // A name that begins like another one is not inside it.
    const ScriptedModule block2{
        "block2", "def forward(self, x):\n  return torch.flatten(x, 1)\n", {}, {}, ""};
    const TemporaryFolder folder;
    save_network({"Net",
                  "def forward(self, x):\n"
                  "  return self.block2.forward(self.block.forward(x)[0])\n",
                  {},
                  {block, block2},
                  ""},
                 folder.file("network.ts"));
    const auto layers = summarise_layers(Network::load(folder.file("network.ts")), {3, 2, 8}, 16);
    std::vector<std::string> names;
    for (const auto& layer : layers) names.push_back(layer.name);
    REQUIRE(names ==
            std::vector<std::string>{"block", "block[1]", "block.conv", "block2", "logits"});
    // Width 8 becomes 6 and then 4: 36 values of 9 weights each, then 24.
    CHECK(layers[0].shape == LayerShape{3, 2, 4});
    CHECK(layers[0].flops == 2 * (36 + 24) * 9);
    CHECK_FALSE(layers[1].shape);
    CHECK(layers[2].shape == LayerShape{3, 2, 6});
    CHECK(layers[2].flops == 2 * 36 * 9);
    CHECK(layers[3].shape == LayerShape{24});
    CHECK(layers[3].flops == 0);
    CHECK(layers[4].shape == LayerShape{24});
    CHECK(layers[4].flops == layers[0].flops);
}

TEST_CASE(
    "a network that drops the axis of a batch of one image, or refuses black ones, has shapes") {
    const TemporaryFolder folder;
    const ScriptedModule means{
        "means", "def forward(self, x):\n  return torch.squeeze(x.mean([2, 3]))\n", {}, {}, ""};
    save_network({"Net",
                  "def forward(self, x):\n"
                  "  assert bool(x.abs().max() > 0)\n"
                  "  return self.means.forward(x)\n",
                  {},
                  {means},
                  ""},
                 folder.file("network.ts"));
    const auto layers = summarise_layers(Network::load(folder.file("network.ts")), {3, 2, 8}, 16);
    REQUIRE(layers.size() == 2);
    CHECK(layers[0].shape == LayerShape{3});
    CHECK(layers[1].shape == LayerShape{3});
}

TEST_CASE("what has one row for all images is no layer, but where they come one by one") {
    const ScriptedModule place{
        "place", "def forward(self, x):\n  return torch.ones([1, 5])\n", {}, {}, ""};
    const TemporaryFolder folder;
    save_network({"Net",
                  "def forward(self, x):\n"
                  "  return torch.flatten(x, 1) * self.place.forward(x).sum()\n",
                  {},
                  {place},
                  ""},
                 folder.file("network.ts"));
    const auto network = Network::load(folder.file("network.ts"));
    const auto of_several = summarise_layers(network, {3, 2, 8}, 16);
    REQUIRE(of_several.size() == 2);
    CHECK(of_several[0].name == "place");
    CHECK_FALSE(of_several[0].shape);
    CHECK(of_several[1].shape == LayerShape{48});
    CHECK(summarise_layers(network, {3, 2, 8}, 1)[0].shape == LayerShape{5});
}

TEST_CASE("the arithmetic of real networks is that of their publications") {
    struct Published {
        std::string file;
        std::int64_t pixels;
        double multiply_adds;
    };
    // MobileNetV2 (Sandler et al., CVPR 2018, table 4): 300 million at 224 pixels. MobileNet
    // (Howard et al., 2017, tables 6 and 7): 41 million for a quarter of the channels at 224
    // pixels, so 13.6 at 128. ResNet-20 for CIFAR-10: 41 million. All to the digits that are
    // published.
    for (const auto& each : {Published{"mobilenet_v2_100_224", 224, 300e6},
                             Published{"mobilenet_v1_025_128", 128, 13.6e6},
                             Published{"cifar10_resnet20", 32, 41e6}}) {
        const auto path = shared_path("data/models/" + each.file + ".ts");
        if (!path) {
            WARN(each.file << " is not tried: no data/models in VENTRAL_SHARED");
            continue;
        }
        const auto layers =
            summarise_layers(Network::load(*path), {3, each.pixels, each.pixels}, 16);
        CHECK(layers.back().name == "logits");
        CHECK(layers.back().flops / 2 == Approx(each.multiply_adds).epsilon(0.02));
    }
}

TEST_CASE("a network that takes batches of its own size alone has shapes and flops of one image") {
    const TemporaryFolder folder;
    const ScriptedModule linear{"linear",
                                "def forward(self, x):\n"
                                "  return torch.linear(torch.reshape(x, [4, 6]), self.weight)\n",
                                {{"weight", {2, 6}, std::vector<float>(12, 1.0F)}},
                                {},
                                ""};
    save_network(
        {"Net", "def forward(self, x):\n  return self.linear.forward(x)\n", {}, {linear}, ""},
        folder.file("network.ts"));
    const auto network = Network::load(folder.file("network.ts"));
    const auto layers = summarise_layers(network, {3, 2, 1}, 4);
    REQUIRE(layers.size() == 2);
    CHECK(layers[0].shape == LayerShape{2});
    CHECK(layers[0].flops == 2 * 12);
    CHECK_THROWS_AS(summarise_layers(network, {3, 2, 1}, 3), ventral::core::InputError);
}

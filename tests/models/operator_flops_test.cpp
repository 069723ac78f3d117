#include "models/recording/operator_flops.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "support/torch_fixture.hpp"

using Catch::Matchers::StartsWith;
using namespace ventral::models;
using namespace ventral::test;
using Flops = std::map<std::string, double>;

namespace {

ScriptedWeight weight(std::vector<std::int64_t> shape) {
    std::size_t count = 1;
    for (const auto size : shape) count *= static_cast<std::size_t>(size);
    return {"weight", shape, std::vector<float>(count, 1.0F)};
}

ScriptedModule layer(const std::string& name, const std::string& expression,
                     const ScriptedWeight& weight) {
    return {name, "def forward(self, x):\n  return " + expression + "\n", {weight}, {}, ""};
}

}  // namespace

TEST_CASE(
    "each value of a convolution costs the weights of its channel, those of a product a row") {
    const auto network =
        saved({"Net",
               "def forward(self, x):\n"
               "  x = torch.relu(self.conv.forward(x))\n"
               "  x = self.grouped.forward(x)\n"
               "  return self.linear.forward(torch.flatten(x, 1)) @ self.weight\n",
               {weight({10, 7})},
               {layer("conv", "torch.conv2d(x, self.weight)", weight({6, 3, 3, 3})),
                layer("grouped", "torch.conv2d(x, self.weight, None, [2, 2], [0, 0], [1, 1], 2)",
                      weight({4, 3, 2, 2})),
                layer("linear", "torch.linear(x, self.weight)", weight({10, 36}))},
               ""});
    // On 8 x 8 pixels: conv gives 6 x 6 x 6 values of 27 weights, grouped 4 x 3 x 3 of 12, linear
    // 10 of 36 and the product 7 of 10.
    CHECK(operator_flops(network, {1, 3, 8, 8}) == Flops{{"conv", 2 * 216 * 27},
                                                         {"grouped", 2 * 36 * 12},
                                                         {"linear", 2 * 10 * 36},
                                                         {"", 2 * 7 * 10}});
}

TEST_CASE("calls of a submodule under all of its names are its own") {
    const auto network =
        saved({"Net",
               "def forward(self, x):\n"
               "  return self.other.forward(self.conv.forward(x))\n",
               {},
               {layer("conv", "torch.conv2d(x, self.weight)", weight({3, 3, 1, 1}))},
               "other"});
    CHECK(operator_flops(network, {1, 3, 4, 4}) == Flops{{"conv", 2 * (2 * 3 * 16) * 3}});
}

TEST_CASE("attention costs its projections and two products of queries, keys and values") {
    const auto values = [](const std::string& name, std::vector<std::int64_t> shape) {
        auto weights = weight(std::move(shape));
        weights.name = name;
        return weights;
    };
    // Nine tokens of four values: each value meets 12 + 4 weights and, twice, nine keys; behind
    // attention a whole layer has 8 and 4 units.
    const auto flops = [&](const std::string& result) {
        return operator_flops(
            saved({"Net",
                   "def forward(self, x):\n"
                   "  y = torch.transpose(torch.flatten(x, 2), 1, 2)\n"
                   "  return " +
                       result + "\n",
                   {values("both", {12, 4}), values("bias", {12}), values("behind", {4, 4}),
                    values("four", {4}), values("up", {8, 4}), values("eight", {8}),
                    values("down", {4, 8})},
                   {},
                   ""}),
            {1, 4, 3, 3});
    };
    const std::string projections = "4, 2, self.both, self.bias, self.behind, self.four, ";
    CHECK(flops("torch._native_multi_head_attention(y, y, y, " + projections +
                "None, False, False, None)[0]") == Flops{{"", 2 * 36 * (12 + 4 + 2 * 9)}});
    CHECK(flops("torch._transformer_encoder_layer_fwd(y, " + projections +
                "False, False, 0.001, self.four, self.four, self.four, self.four, self.up, "
                "self.eight, self.down, self.four, None, None)") ==
          Flops{{"", 2 * 36 * (12 + 4 + 2 * 9 + 2 * 8)}});
}

TEST_CASE("an Einstein sum of two factors costs what is summed over for each value") {
    const auto flops = [](const std::string& equation, std::vector<std::int64_t> shape) {
        return operator_flops(
            saved(layer("Net", "torch.einsum(\"" + equation + "\", [x, self.weight])",
                        weight(std::move(shape)))),
            {2, 3, 4, 5});
    };
    // 2 x 7 x 4 x 5 values of 3 products each; 2 x 3 x 4 x 7 of 5; 2 x 4 x 5 of 3.
    CHECK(flops("bchw, oc -> bohw", {7, 3}) == Flops{{"", 2 * 280 * 3}});
    CHECK(flops("...w,ow->...o", {7, 5}) == Flops{{"", 2 * 168 * 5}});
    CHECK(flops("bchw,c", {3}) == Flops{{"", 2 * 40 * 3}});
    CHECK(flops("bchw,o->o", {7}) == Flops{{"", 2 * 7 * 120}});
}

TEST_CASE("a recurrent layer costs its weights for each step, those of its states too") {
    const auto named = [](const std::string& name, std::vector<std::int64_t> shape) {
        auto weights = weight(std::move(shape));
        weights.name = name;
        return weights;
    };
    // 2 x 9 steps of three values in, states of two in both directions, then the same above them.
    const auto network =
        saved({"Net",
               "def forward(self, x):\n"
               "  y = torch.transpose(torch.flatten(x, 2), 1, 2)\n"
               "  low = [self.low, self.own, self.b, self.b, self.low, self.own, self.b, self.b]\n"
               "  up = [self.up, self.own, self.b, self.b, self.up, self.own, self.b, self.b]\n"
               "  return torch.lstm(y, [self.h, self.h], torch.add(low, up), True, 2, 0., False, "
               "True, True)[0]\n",
               {named("low", {8, 3}), named("own", {8, 2}), named("b", {8}), named("up", {8, 4}),
                named("h", {4, 2, 2})},
               {},
               ""});
    const int one_direction = 8 * 3 + 8 * 2 + 8 * 4 + 8 * 2;
    CHECK(operator_flops(network, {2, 3, 3, 3}) == Flops{{"", 2 * 18 * 2 * one_direction}});
    const auto cell = saved({"Net",
                             "def forward(self, x):\n"
                             "  return torch.gru_cell(torch.flatten(x, 1), self.h, self.low, "
                             "self.own)\n",
                             {named("low", {6, 12}), named("own", {6, 2}), named("h", {1, 2})},
                             {},
                             ""});
    CHECK(operator_flops(cell, {1, 3, 2, 2}) == Flops{{"", 2 * (6 * 12 + 6 * 2)}});
}

TEST_CASE("a transposed convolution costs per value that goes in") {
    const auto network = saved(
        layer("Net", "torch.conv_transpose2d(x, self.weight, None, [2, 2])", weight({3, 5, 2, 2})));
    CHECK(operator_flops(network, {2, 3, 4, 4}) == Flops{{"", 2 * (2 * 3 * 16) * 20}});
}

TEST_CASE("loops and repeated calls count as often as they run, what is not called does not") {
    const auto network =
        saved({"Net",
               "def forward(self, x):\n"
               "  for i in range(3):\n"
               "    x = self.conv.forward(x)\n"
               "  if x.size(0) > 1:\n"
               "    x = self.other.forward(x)\n"
               "  return self.conv.forward(x)\n",
               {},
               {layer("conv", "torch.conv2d(x, self.weight)", weight({3, 3, 1, 1})),
                layer("other", "torch.conv2d(x, self.weight)", weight({3, 3, 1, 1}))},
               ""});
    const auto flops = operator_flops(network, {1, 3, 2, 2});
    CHECK(flops.at("conv") == 4 * 2 * 12 * 3);
    CHECK(flops.count("other") == 0);
}

TEST_CASE("an input that the network cannot take is an error of one line") {
    const auto network = saved(layer("Net", "torch.conv2d(x, self.weight)", weight({1, 3, 9, 9})));
    CHECK_THROWS_WITH(
        operator_flops(network, {1, 3, 4, 4}),
        StartsWith(network.path() + ": forward failed for a batch of 1 x 3 x 4 x 4 ("));
}

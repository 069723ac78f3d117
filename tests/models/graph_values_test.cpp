#include "models/operators/graph_values.hpp"

#include <catch2/catch.hpp>

#include "models/exact_networks.hpp"
#include "models/small_recorder.hpp"

using namespace ventral::models;
using namespace ventral::test::exact;

TEST_CASE("a layer has the same bits whatever is recorded beside it") {
    const std::vector<std::string> layers{"conv",  "bn",   "act",  "back", "back_bn", "sum",
                                          "limit", "join", "pool", "pad",  "last",    "logits"};
    const ScriptModule root{
        "Net",
        "def forward(self, x):\n"
        "  y = self.act.forward(self.bn.forward(self.conv.forward(x)))\n"
        "  z = self.back_bn.forward(self.back.forward(y))\n"
        "  z = self.limit.forward(self.sum.forward(z, y))\n"
        "  z = self.join.forward(z, torch.relu(torch.conv2d(y, self.one)))\n"
        "  z = self.pool.forward(z)\n"
        "  return torch.relu_(self.last.forward(self.pad.forward(z)))\n",
        two_filters,
        {module("conv", "torch.conv2d(x, self.w, None, 1, 1)", {filters("w", 6, 6, 3)}),
         module("bn", normalised, statistics),
         module("act", "torch.relu_(x)"),
         module("back", "torch.conv2d(x, self.w)", {filters("w", 6, 6, 1)}),
         module("back_bn", normalised, statistics),
         {"sum", "def forward(self, x, y):\n  x += y\n  return x\n", {}, {}},
         module("limit", "torch.hardtanh(x, -40., 90.)"),
         {"join", "def forward(self, x, y):\n  return torch.cat([x, y], 1)\n", {}, {}},
         module("pool", "torch.max_pool2d(torch.relu(x), [3, 3], [2, 2], [1, 1])"),
         module("pad", "torch.constant_pad_nd(x, [1, 1, 2, 2])"),
         module("last", "torch.conv2d(x, self.w)", {filters("w", 5, 12, 3)})}};
    const auto expected = recorded(root, layers, MemoryLayout::contiguous);
    const auto together = recorded(root, layers, MemoryLayout::channels_last);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        CAPTURE(layers[i]);
        CHECK(same(together[i], expected[i]));
        const auto alone = recorded(root, {layers[i]}, MemoryLayout::channels_last)[0];
        CHECK(same_bits(alone.values, together[i].values));
        for (std::size_t j = 0; j < i; ++j) {
            const auto both = recorded(root, {layers[i], layers[j]}, MemoryLayout::channels_last);
            CHECK(same_bits(both[0].values, together[i].values));
            CHECK(same_bits(both[1].values, together[j].values));
        }
    }
}

TEST_CASE("a sum lies as its first tensor, also where another use of that is cut off") {
    // The sums over space of what lies otherwise would round otherwise.
    const ScriptModule root{"Net",
                            "def forward(self, x):\n"
                            "  y = torch.relu(torch.conv2d(x, self.w))\n"
                            "  a = torch.mul(y, 0.1).contiguous()\n"
                            "  b = torch.relu(torch.conv2d(x, self.w))\n"
                            "  z = self.mean.forward(a + b)\n"
                            "  return z + b.mean([2, 3])\n",
                            {filters("w", 6, 6, 1)},
                            {module("mean", "x.mul(0.1).exp().mean([2, 3])")}};
    const auto together = recorded(root, {"mean", "logits"}, MemoryLayout::channels_last);
    const auto alone = recorded(root, {"mean"}, MemoryLayout::channels_last);
    CHECK(same_bits(alone[0].values, together[0].values));
}

TEST_CASE("a layer that is changed in place where it is made is recorded as it was left") {
    for (const std::string change :
         {"torch.relu_(y)", "y.add_(x)", "torch.hardtanh_(y, -1., 1.)"}) {
        CAPTURE(change);
        const ScriptModule root{"Net",
                                "def forward(self, x):\n  return self.layer.forward(x) + 1\n",
                                {},
                                {{"layer",
                                  "def forward(self, x):\n  y = torch.conv2d(x, self.w)\n  " +
                                      change + "\n  return y\n",
                                  {filters("w", 6, 6, 1)},
                                  {}}}};
        for (const auto& layers :
             std::vector<std::vector<std::string>>{{"layer"}, {"layer", "logits"}})
            CHECK(same(recorded(root, layers, MemoryLayout::channels_last)[0],
                       recorded(root, layers, MemoryLayout::contiguous)[0]));
    }
}

TEST_CASE("what dropout gives is its input, also where it is changed in place") {
    using ventral::test::recorded;
    const auto given = [](MemoryLayout layout) {
        return recorded(
            ventral::test::reloaded({"Net",
                                     "def forward(self, x):\n"
                                     "  x = torch.conv2d(x, self.w)\n"
                                     "  if self.training:\n    y = torch.dropout_(x, 0.5, True)\n"
                                     "  else:\n    y = torch.dropout(x, 0.5, False)\n"
                                     "  torch.relu_(y)\n"
                                     "  return torch.conv2d(x, self.w)\n",
                                     {{"w", {1, 1, 1, 1}, {3}}},
                                     {},
                                     ""},
                                    layout),
            "logits");
    };
    CHECK(given(MemoryLayout::channels_last) == Values{9, 0, 27, 0});
    CHECK(given(MemoryLayout::contiguous) == Values{9, 0, 27, 0});
}

TEST_CASE("what is recorded is not what a network makes of it later") {
    const ScriptModule root{"Net",
                            "def forward(self, x):\n"
                            "  y = self.conv.forward(x)\n"
                            "  z = torch.relu_(y)\n"
                            "  return y + z\n",
                            {},
                            {module("conv", "torch.conv2d(x, self.w)", {filters("w", 6, 6, 3)})}};
    for (const auto& layers : std::vector<std::vector<std::string>>{{"conv"}, {"conv", "logits"}}) {
        const auto given = recorded(root, layers, MemoryLayout::channels_last);
        const auto expected = recorded(root, layers, MemoryLayout::contiguous);
        for (std::size_t i = 0; i < layers.size(); ++i) CHECK(same(given[i], expected[i]));
    }
}

TEST_CASE("what others see is not overwritten, and what a network overwrites they see") {
    CHECK(as_in_libtorch("  y = torch.relu_(x)\n  return x + y\n"));
    CHECK(as_in_libtorch(convolved + "  z = torch.relu_(y)\n  return y + z\n"));
    CHECK(as_in_libtorch(convolved + "  z = torch.relu(y)\n  return y + z\n"));
    CHECK(as_in_libtorch(
        convolved + "  y += x.double().mean([2, 3], True)\n  return torch.conv2d(y, self.one)\n"));
    CHECK(as_in_libtorch(convolved + "  x = y\n  y = " + normalised +
                         "\n  y += x.double()\n  return torch.relu(y)\n"));
    CHECK(as_in_libtorch(convolved + "  p = torch.constant_pad_nd(y, [1, 1, 1, 1])\n"
                                     "  torch.relu_(y)\n"
                                     "  return torch.conv2d(p, self.w) + y\n"));
    CHECK(as_in_libtorch(convolved + "  y.add_(y)\n  return torch.relu(y)\n"));
    CHECK(as_in_libtorch(convolved + "  z = y[:, 1:]\n  torch.relu_(y)\n  return z\n"));
    CHECK(as_in_libtorch(convolved + "  s = torch.relu(torch.conv2d(x, self.one))\n"
                                     "  u = y + s\n"
                                     "  s.mul_(2)\n"
                                     "  return torch.relu(u) + s\n"));
    CHECK(as_in_libtorch(convolved +
                         "  x = torch.conv2d(x, self.one)\n"
                         "  u = " +
                         normalised +
                         "\n"
                         "  z = torch.conv2d(y, self.one)\n"
                         "  y += u\n"
                         "  return torch.cat([torch.relu(z), y, torch.relu(z)], 1)\n"));
    CHECK(as_in_libtorch(convolved + "  x = y\n  z = " + normalised +
                         "\n  torch.relu_(y)\n  return z + y\n"));
    CHECK(as_in_libtorch(convolved + "  x = y\n  z = " + normalised +
                         "\n  torch.relu_(y)\n  return torch.relu(z) + y\n"));
    CHECK(as_in_libtorch(convolved + "  z = torch.max_pool2d(torch.relu(y), 2)\n  return z + y[:, "
                                     ":, ::2, ::2][:, :, :4, :3]\n"));
    CHECK(as_in_libtorch(
        convolved + "  for i in range(3):\n    x = torch.hardtanh(y + x, -5., 5.)\n  return x\n"));
    CHECK(as_in_libtorch(convolved +
                         "  for i in range(3):\n    y = torch.relu_(y + x)\n  return y\n"));
    CHECK(as_in_libtorch(
        convolved +
        "  z = torch.relu(y)\n"
        "  for i in range(2):\n    x = torch.max_pool2d(z, [2, 2]) + i\n  return x\n"));
    CHECK(as_in_libtorch(convolved +
                         "  if x.size(0) > 1:\n    y = torch.relu_(y)\n  return y + 1\n"));
}

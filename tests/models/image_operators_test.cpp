#include "models/operators/image_operators.hpp"

#include <cmath>
#include <cstring>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "models/recording/recorder.hpp"
#include "models/small_recorder.hpp"
#include "support/torch_fixture.hpp"

using namespace ventral::models;
using Values = std::vector<float>;

namespace {

/// Two images of six channels and 9 × 7 pixels.
constexpr BatchShape shape{2, 6, 9, 7};

/// Whole numbers from -3 to 3: sums of their products are exact in any order.
Values numbers(std::size_t count, std::size_t step) {
    Values values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * step % 7) - 3;
    return values;
}

const Values images = numbers(2 * 6 * 9 * 7, 5);

ScriptWeight filters(const std::string& name, std::int64_t outputs, std::int64_t inputs,
                     std::int64_t side) {
    return {name,
            {outputs, inputs, side, side},
            numbers(static_cast<std::size_t>(outputs * inputs * side * side), 3)};
}

ScriptWeight of_channels(const std::string& name, Values values) {
    return {name, {static_cast<std::int64_t>(values.size())}, values};
}

/// A normalisation of six channels whose arithmetic is exact.
const std::vector<ScriptWeight> statistics{
    of_channels("weight", {1, -2, 4, 1, 2, 1}), of_channels("bias", {3, 0, 1, -4, 2, 2}),
    of_channels("mean", {-1, 0, 2, 5, -3, 1}), of_channels("variance", {1, 4, 16, 0.25, 4, 1})};

const std::string normalised =
    "torch.batch_norm(x, self.weight, self.bias, self.mean, self.variance, False, 0.1, 0., False)";

ScriptModule module(const std::string& name, const std::string& expression,
                    const std::vector<ScriptWeight>& weights = {}) {
    return {name, "def forward(self, x):\n  return " + expression + "\n", weights, {}};
}

std::vector<LayerOutput> recorded(const ScriptModule& root, const std::vector<std::string>& layers,
                                  MemoryLayout layout, const Values& batch = images) {
    const auto network = Network::build(root, "net.ts", {.memory_layout = layout});
    return LayerRecorder(network, layers).record(batch, shape);
}

/// But for the sign of a zero, and of what NaN it is.
bool same(const LayerOutput& given, const LayerOutput& expected) {
    const auto alike = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    return given.shape == expected.shape &&
           std::equal(given.values.begin(), given.values.end(), expected.values.begin(),
                      expected.values.end(), alike);
}

bool same_bits(const Values& a, const Values& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

const std::vector<ScriptWeight> two_filters{filters("w", 6, 6, 3), filters("one", 6, 6, 1)};

/// What forward gives in channels_last is what libtorch's own operators give.
void check(const std::string& forward, const Values& batch = images) {
    CAPTURE(forward);
    auto weights = statistics;
    weights.insert(weights.end(), two_filters.begin(), two_filters.end());
    const ScriptModule root{"Net", "def forward(self, x):\n" + forward, weights, {}};
    const auto given = recorded(root, {"logits"}, MemoryLayout::channels_last, batch)[0];
    CHECK(same(given, recorded(root, {"logits"}, MemoryLayout::contiguous, batch)[0]));
}

/// How often libtorch's operator runs for a forward in channels_last.
std::size_t calls(const std::string& name, const std::string& forward) {
    auto weights = statistics;
    weights.insert(weights.end(), two_filters.begin(), two_filters.end());
    const auto network = Network::build({"Net", "def forward(self, x):\n" + forward, weights, {}},
                                        "net.ts", {.memory_layout = MemoryLayout::channels_last});
    const LayerRecorder recorder(network, {"logits"});
    recorder.record(images, shape);  // the first time it looks at another batch too
    return ventral::test::calls_of(name, [&] { recorder.record(images, shape); });
}

const std::string convolved = "  y = torch.conv2d(x, self.w, None, 1, 1)\n";

}  // namespace

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

TEST_CASE("steps behind a convolution give what libtorch's operators give") {
    check(convolved + "  return torch.relu_(" + std::string("y)\n"));
    check(convolved + "  return torch.relu(y * 2)\n");
    check(convolved + "  return torch.hardtanh_(y, 0., 6.)\n");
    check(convolved + "  x = y\n  return " + normalised + "\n");
    check(convolved + "  x = y\n  return torch.relu(" + normalised + " + x)\n");
    check(convolved + "  return torch.relu(x + y)\n");
    check(convolved + "  return torch.relu(x + y + y)\n");
    check(convolved + "  return torch.add(x, y, alpha=2)\n");
    check(convolved + "  return (y + 1) + x.mean([2, 3], True)\n");
    check("  return " + normalised + "\n");
    check("  x = x.double()\n  return torch.relu(torch.max_pool2d(x, [2, 2]) + 0.5).float()\n");
    check("  x = x.transpose(2, 3)\n  return torch.relu(torch.relu(x) + x)\n");
    check("  x = x.mean([2, 3])\n  return torch.relu(torch.cat([x, x + x], 1))\n");
    check(
        "  return torch.batch_norm(x, None, None, self.mean, self.variance, False, 0.1, 0., "
        "False)\n");
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

TEST_CASE("images of one pixel and of one channel") {
    check(
        "  x = x.mean([2, 3], True)\n  y = torch.conv2d(x, self.one)\n  return torch.relu_(y + "
        "x.round())\n");
    check("  x = x.mean([2, 3], True).round()\n  x = " + normalised +
          "\n  return torch.cat([x, x], 1)\n");
    check(
        "  y = torch.conv2d(x, self.one[:1])\n  return torch.max_pool2d(torch.relu(y + x[:, :1]), "
        "2)\n");
    check("  y = torch.relu(x[:, :1])\n  return torch.cat([y, torch.relu(x[:, 1:2])], 1)\n");
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

TEST_CASE("batch normalisation has libtorch's bits") {
    const auto ramp = ventral::test::ramp(6);
    auto variance = ramp;
    for (auto& value : variance) value = value * value + 0.01F;
    const auto outputs = [&](MemoryLayout layout) {
        const ScriptModule root{"Net",
                                "def forward(self, x):\n  return torch.batch_norm(x, self.weight, "
                                "self.bias, self.mean, self.variance, False, 0.1, 1e-5, True)\n",
                                {of_channels("weight", ramp), of_channels("bias", ramp),
                                 of_channels("mean", ramp), of_channels("variance", variance)},
                                {}};
        return recorded(root, {"logits"}, layout, ventral::test::ramp(images.size()))[0].values;
    };
    CHECK(same_bits(outputs(MemoryLayout::channels_last), outputs(MemoryLayout::contiguous)));
}

TEST_CASE("what others see is not overwritten, and what a network overwrites they see") {
    check("  y = torch.relu_(x)\n  return x + y\n");
    check(convolved + "  z = torch.relu_(y)\n  return y + z\n");
    check(convolved + "  z = torch.relu(y)\n  return y + z\n");
    check(convolved + "  y += x.double().mean([2, 3], True)\n  return torch.conv2d(y, self.one)\n");
    check(convolved + "  x = y\n  y = " + normalised +
          "\n  y += x.double()\n  return torch.relu(y)\n");
    check(convolved + "  y.add_(y)\n  return torch.relu(y)\n");
    check(convolved + "  z = y[:, 1:]\n  torch.relu_(y)\n  return z\n");
    check(convolved +
          "  s = torch.relu(torch.conv2d(x, self.one))\n"
          "  u = y + s\n"
          "  s.mul_(2)\n"
          "  return torch.relu(u) + s\n");
    check(convolved +
          "  x = torch.conv2d(x, self.one)\n"
          "  u = " +
          normalised +
          "\n"
          "  z = torch.conv2d(y, self.one)\n"
          "  y += u\n"
          "  return torch.cat([torch.relu(z), y, torch.relu(z)], 1)\n");
    check(convolved + "  x = y\n  z = " + normalised + "\n  torch.relu_(y)\n  return z + y\n");
    check(convolved + "  x = y\n  z = " + normalised +
          "\n  torch.relu_(y)\n  return torch.relu(z) + y\n");
    check(
        convolved +
        "  z = torch.max_pool2d(torch.relu(y), 2)\n  return z + y[:, :, ::2, ::2][:, :, :4, :3]\n");
    check(convolved + "  for i in range(3):\n    x = torch.hardtanh(y + x, -5., 5.)\n  return x\n");
    check(convolved + "  for i in range(3):\n    y = torch.relu_(y + x)\n  return y\n");
    check(convolved +
          "  z = torch.relu(y)\n"
          "  for i in range(2):\n    x = torch.max_pool2d(z, [2, 2]) + i\n  return x\n");
    check(convolved + "  if x.size(0) > 1:\n    y = torch.relu_(y)\n  return y + 1\n");
}

TEST_CASE("windows, joined and padded images of all kinds") {
    for (const std::string arguments :
         {"[2, 2]", "[3, 3], [2, 2]", "[3, 3], [2, 2], [1, 1]", "[3, 2], [1, 3], [1, 0]",
          "[2, 2], [2, 2], [0, 0], [1, 1], True", "[3, 3], [2, 2], [1, 1], [1, 1], True",
          "[3, 3], [3, 4], [0, 0], [1, 1], True", "[2, 2], [1, 1], [0, 0], [2, 2]", "2",
          "[9, 7]"}) {
        check("  return torch.max_pool2d(x, " + arguments + ")\n");
        check(convolved + "  return torch.max_pool2d(torch.relu_(y), " + arguments + ")\n");
    }
    const auto joined = [](const std::string& arguments) {
        check(convolved + "  return torch.cat(" + arguments + ")[:2]\n");
    };
    for (const std::string list : {"[x, y]", "[torch.relu(y), y]", "[y]"})
        for (const std::string axis : {"1", "-3", "0", "2"}) joined(list + ", " + axis);
    joined("[y, x[:, :3], y], 1");
    joined("[torch.relu(y), torch.relu(x), x[:, :0]], 1");
    joined("[x.double(), y], 1");
    for (const std::string sizes : {"[0, 1, 0, 1]", "[1, 1, 1, 1]", "[3, 0, 0, 2]", "[0, 0, 0, 0]",
                                    "[-1, 1, 0, 0]", "[1, 2]", "[1, 1, 0, 0, 2, 1]"})
        for (const std::string value : {"0", "-2.5"}) {
            const auto arguments = sizes + ", " + value;
            check("  return torch.constant_pad_nd(x, " + arguments + ")\n");
            check(convolved + "  return torch.constant_pad_nd(torch.relu(y), " + arguments + ")\n");
        }
    for (const std::string arguments :
         {"[1, 1, 1, 1], 0", "[1, 1, 0, 0], 0", "[0, 1, 0, 1], 0", "[1, 1, 1, 1], -2.5"})
        check("  return torch.conv2d(torch.constant_pad_nd(x, " + arguments +
              "), self.w, None, 2, 1)\n");
    check("  return torch.reflection_pad2d(x, [1, 1, 1, 1])\n");
}

TEST_CASE("NaN and infinities go where libtorch lets them go") {
    auto odd = images;
    odd[5] = odd[400] = std::numeric_limits<float>::quiet_NaN();
    odd[100] = std::numeric_limits<float>::infinity();
    odd[500] = -odd[100];
    check("  return torch.relu(x)\n", odd);
    check("  return torch.hardtanh(x, 0., 6.)\n", odd);
    check("  return torch.hardtanh(x, float('nan'), 6.)\n", odd);
    check("  return torch.hardtanh(x, -float('inf'), 2.)\n", odd);
    check("  return torch.max_pool2d(torch.relu(torch.conv2d(x, self.one)), [3, 3])\n", odd);
    check("  return torch.relu(" + normalised + " + x)\n", odd);
    check("  return torch.cat([torch.relu(torch.conv2d(x, self.one)), x], 1)\n", odd);
}

TEST_CASE("libtorch's operators are not run where ours are") {
    const auto block = convolved + "  x = y\n  x = torch.relu_(" + normalised + ")\n" +
                       "  x = torch.max_pool2d(torch.conv2d(x, self.one).relu_(), [2, 2])\n"
                       "  x = torch.conv2d(torch.constant_pad_nd(x, [1, 1, 1, 1]), self.w)\n"
                       "  return torch.cat([x, x], 1)\n";
    for (const std::string name : {"aten::batch_norm", "aten::relu_", "aten::max_pool2d",
                                   "aten::constant_pad_nd", "aten::cat", "aten::clone"})
        CHECK(calls(name, block) == 0);
    CHECK(calls("aten::max_pool2d",
                "  return torch.max_pool2d(x, [2, 2], [2, 2], [0, 0], [2, 2])\n") == 1);
    // Nothing is known of statistics of the moment, and of weights that change.
    CHECK(calls("aten::batch_norm",
                "  return torch.batch_norm(x, None, None, None, None, True, 0.1, "
                "0.1, False)\n") == 1);
    CHECK(calls("aten::relu", "  self.w.mul_(2)\n  return torch.relu(torch.conv2d(x, self.w))\n") ==
          1);
}

TEST_CASE("what is for training only is neither run nor in the way") {
    using ventral::test::reloaded;
    const auto network = [](MemoryLayout layout) {
        std::vector<ventral::test::ScriptedWeight> weights{{"one", {1, 1, 1, 1}, {3}}};
        for (const auto* name : {"weight", "bias", "mean", "variance"})
            weights.push_back({name, {1}, {4}});
        return reloaded(
            {"Net",
             "def forward(self, x):\n"
             "  x = torch.conv2d(x, self.one)\n"
             "  if self.training:\n    x = x[x.size(0):]\n"
             "  by_batch = True if self.training else False\n"
             "  x = torch.batch_norm(x, self.weight, self.bias, self.mean, self.variance, "
             "by_batch, 0.1, 0., False)\n"
             "  return torch.relu(x)\n",
             weights,
             {},
             ""},
            layout);
    };
    const auto given = [&](MemoryLayout layout) {
        return ventral::test::recorded(network(layout), "logits");
    };
    CHECK(given(MemoryLayout::channels_last) == given(MemoryLayout::contiguous));
    CHECK(given(MemoryLayout::channels_last) == Values{2, 0, 14, 0});
    const auto calls = [&](const std::string& name, MemoryLayout layout) {
        return ventral::test::calls_of(name, [&] { given(layout); });
    };
    for (const std::string name : {"aten::batch_norm", "aten::relu"}) {
        CHECK(calls(name, MemoryLayout::channels_last) == 0);
        CHECK(calls(name, MemoryLayout::contiguous) > 0);
    }
}

TEST_CASE("what libtorch refuses is refused with its reason") {
    const auto refusal = [](const std::string& forward) {
        const ScriptModule root{"Net", "def forward(self, x):\n" + forward, statistics, {}};
        try {
            recorded(root, {"logits"}, MemoryLayout::channels_last);
            return std::string("none");
        } catch (const ventral::core::InputError& error) {
            return std::string(error.what());
        }
    };
    CHECK_THAT(refusal("  x = x[:, :5]\n  return " + normalised + "\n"),
               Catch::Contains("should contain 5 elements"));
    CHECK_THAT(refusal("  return torch.max_pool2d(x, [2, 2], [2, 2], [2, 2])\n"),
               Catch::Contains("pad should be"));
    CHECK_THAT(refusal("  return torch.cat([x, x[:, :, 1:]], 1)\n"),
               Catch::Contains("Sizes of tensors must match"));
    CHECK_THAT(refusal("  return torch.relu(x + x[:, :5])\n"),
               Catch::Contains("must match the size"));
}

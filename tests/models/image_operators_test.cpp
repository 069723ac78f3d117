#include "models/operators/image_operators.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "models/exact_networks.hpp"
#include "models/small_recorder.hpp"
#include "support/torch_fixture.hpp"

using namespace ventral::models;
using namespace ventral::test::exact;

namespace {

/// How often libtorch's operator runs for a forward in channels_last.
std::size_t calls(const std::string& name, const std::string& forward) {
    const auto network = Network::build(with_weights(forward), "net.ts",
                                        {.memory_layout = MemoryLayout::channels_last});
    const LayerRecorder recorder(network, {"logits"});
    recorder.record(images, shape);  // the first time it looks at another batch too
    return ventral::test::calls_of(name, [&] { recorder.record(images, shape); });
}

}  // namespace

TEST_CASE("steps behind a convolution give what libtorch's operators give") {
    CHECK(as_in_libtorch(convolved + "  return torch.relu_(y)\n"));
    CHECK(as_in_libtorch(convolved + "  return torch.relu(y * 2)\n"));
    CHECK(as_in_libtorch(convolved + "  return torch.hardtanh_(y, 0., 6.)\n"));
    CHECK(as_in_libtorch(convolved + "  x = y\n  return " + normalised + "\n"));
    CHECK(as_in_libtorch(convolved + "  x = y\n  return torch.relu(" + normalised + " + x)\n"));
    CHECK(as_in_libtorch(convolved + "  return torch.relu(x + y)\n"));
    CHECK(as_in_libtorch(convolved + "  return torch.relu(x + y + y)\n"));
    CHECK(as_in_libtorch(convolved + "  return torch.add(x, y, alpha=2)\n"));
    CHECK(as_in_libtorch(convolved + "  return (y + 1) + x.mean([2, 3], True)\n"));
    CHECK(as_in_libtorch("  return " + normalised + "\n"));
    CHECK(as_in_libtorch(
        "  x = x.double()\n  return torch.relu(torch.max_pool2d(x, [2, 2]) + 0.5).float()\n"));
    CHECK(as_in_libtorch("  x = x.transpose(2, 3)\n  return torch.relu(torch.relu(x) + x)\n"));
    CHECK(as_in_libtorch("  x = x.mean([2, 3])\n  return torch.relu(torch.cat([x, x + x], 1))\n"));
    CHECK(as_in_libtorch(
        "  return torch.batch_norm(x, None, None, self.mean, self.variance, False, 0.1, 0., "
        "False)\n"));
}

TEST_CASE("images of one pixel and of one channel") {
    CHECK(as_in_libtorch(
        "  x = x.mean([2, 3], True)\n  y = torch.conv2d(x, self.one)\n  return torch.relu_(y + "
        "x.round())\n"));
    CHECK(as_in_libtorch("  x = x.mean([2, 3], True).round()\n  x = " + normalised +
                         "\n  return torch.cat([x, x], 1)\n"));
    CHECK(as_in_libtorch(
        "  y = torch.conv2d(x, self.one[:1])\n  return torch.max_pool2d(torch.relu(y + x[:, :1]), "
        "2)\n"));
    CHECK(as_in_libtorch(
        "  y = torch.relu(x[:, :1])\n  return torch.cat([y, torch.relu(x[:, 1:2])], 1)\n"));
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

TEST_CASE("windows, joined and padded images of all kinds") {
    for (const std::string arguments :
         {"[2, 2]", "[3, 3], [2, 2]", "[3, 3], [2, 2], [1, 1]", "[3, 2], [1, 3], [1, 0]",
          "[2, 2], [2, 2], [0, 0], [1, 1], True", "[3, 3], [2, 2], [1, 1], [1, 1], True",
          "[3, 3], [3, 4], [0, 0], [1, 1], True", "[2, 2], [1, 1], [0, 0], [2, 2]", "2",
          "[9, 7]"}) {
        CHECK(as_in_libtorch("  return torch.max_pool2d(x, " + arguments + ")\n"));
        CHECK(as_in_libtorch(convolved + "  return torch.max_pool2d(torch.relu_(y), " + arguments +
                             ")\n"));
    }
    const auto joined = [](const std::string& arguments) {
        CHECK(as_in_libtorch(convolved + "  return torch.cat(" + arguments + ")[:2]\n"));
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
            CHECK(as_in_libtorch("  return torch.constant_pad_nd(x, " + arguments + ")\n"));
            CHECK(as_in_libtorch(convolved + "  return torch.constant_pad_nd(torch.relu(y), " +
                                 arguments + ")\n"));
        }
    for (const std::string arguments :
         {"[1, 1, 1, 1], 0", "[1, 1, 0, 0], 0", "[0, 1, 0, 1], 0", "[1, 1, 1, 1], -2.5"})
        CHECK(as_in_libtorch("  return torch.conv2d(torch.constant_pad_nd(x, " + arguments +
                             "), self.w, None, 2, 1)\n"));
    CHECK(as_in_libtorch("  return torch.reflection_pad2d(x, [1, 1, 1, 1])\n"));
}

TEST_CASE("NaN and infinities go where libtorch lets them go") {
    auto odd = images;
    odd[5] = odd[400] = std::numeric_limits<float>::quiet_NaN();
    odd[100] = std::numeric_limits<float>::infinity();
    odd[500] = -odd[100];
    CHECK(as_in_libtorch("  return torch.relu(x)\n", odd));
    CHECK(as_in_libtorch("  return torch.hardtanh(x, 0., 6.)\n", odd));
    CHECK(as_in_libtorch("  return torch.hardtanh(x, float('nan'), 6.)\n", odd));
    CHECK(as_in_libtorch("  return torch.hardtanh(x, -float('inf'), 2.)\n", odd));
    CHECK(as_in_libtorch(
        "  return torch.max_pool2d(torch.relu(torch.conv2d(x, self.one)), [3, 3])\n", odd));
    CHECK(as_in_libtorch("  return torch.relu(" + normalised + " + x)\n", odd));
    CHECK(
        as_in_libtorch("  return torch.cat([torch.relu(torch.conv2d(x, self.one)), x], 1)\n", odd));
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

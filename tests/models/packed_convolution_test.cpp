#include "models/operators/packed_convolution.hpp"

#include <cmath>
#include <thread>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "models/recording/recorder.hpp"
#include "support/torch_fixture.hpp"

using namespace ventral::models;
using Values = std::vector<float>;

namespace {

Values ramp(std::size_t count) {
    Values values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<float>(i));
    return values;
}

/// Two images of six channels and 9 × 7 pixels.
constexpr BatchShape shape{2, 6, 9, 7};
const Values images = ramp(2 * 6 * 9 * 7);

ScriptWeight weight(const std::string& name, std::vector<std::int64_t> sizes) {
    std::size_t count = 1;
    for (const auto size : sizes) count *= static_cast<std::size_t>(size);
    return {name, std::move(sizes), ramp(count)};
}

Network network(const std::string& forward, std::vector<ScriptWeight> weights,
                MemoryLayout layout) {
    return Network::build({"Net", "def forward(self, x):\n" + forward, std::move(weights), {}},
                          "net.ts", {.memory_layout = layout});
}

/// How many packed convolutions a run of the network has in channels_last.
std::size_t packed_calls(const std::string& forward, const std::vector<ScriptWeight>& weights) {
    const LayerRecorder recorder(network(forward, weights, MemoryLayout::channels_last),
                                 {"logits"});
    recorder.record(images, shape);  // the first time it looks at another batch too
    return ventral::test::calls_of("mkldnn_prepacked::conv2d_run",
                                   [&] { recorder.record(images, shape); });
}

/// float32 sums of at most 54 products near one, in another order.
constexpr float tolerance = 2e-5F;

/// What every call of the network gives in channels_last is what `F.conv2d` gives as it stands.
void check(const std::string& forward, const std::vector<ScriptWeight>& weights, int calls = 1) {
    CAPTURE(forward);
    const auto packed_network = network(forward, weights, MemoryLayout::channels_last);
    const auto plain_network = network(forward, weights, MemoryLayout::contiguous);
    const LayerRecorder packed(packed_network, {"logits"}), plain(plain_network, {"logits"});
    for (int call = 0; call < calls; ++call) {
        const auto given = packed.record(images, shape)[0];
        const auto expected = plain.record(images, shape)[0];
        REQUIRE(given.shape == expected.shape);
        REQUIRE(given.values.size() == expected.values.size());
        for (std::size_t i = 0; i < given.values.size(); ++i)
            CHECK(given.values[i] == Approx(expected.values[i]).margin(tolerance));
    }
}

}  // namespace

TEST_CASE("packed convolutions give what F.conv2d gives") {
    const auto dense = weight("w", {5, 6, 3, 3});
    const auto bias = weight("b", {5});
    check("  return torch.conv2d(x, self.w, self.b)\n", {dense, bias});
    check("  return torch.conv2d(x, self.w)\n", {dense});
    check("  return torch.conv2d(x, self.w, self.b, [2, 1], [1, 2], [1, 2])\n", {dense, bias});
    check("  return torch.conv2d(x, self.w, None, 2, 1)\n", {dense});
    check("  return torch.conv2d(x, self.w, self.b, padding='same')\n", {dense, bias});
    check("  return torch.conv2d(x, self.w)\n", {weight("w", {16, 6, 1, 1})});
    check("  return torch.conv2d(x, self.w, None, 1, 1, 1, 6)\n", {weight("w", {6, 1, 3, 3})});
    check("  return torch.conv2d(x, self.w, None, 1, 0, 1, 2)\n", {weight("w", {4, 3, 3, 3})});
    // As traces write it, also of a transposed one.
    check(
        "  return torch._convolution(x, self.w, self.b, [1, 1], [1, 1], [1, 1], False, [0, 0], "
        "1, False, False, True, True)\n",
        {dense, bias});
    check(
        "  return torch._convolution(x, self.w, None, [2, 2], [1, 1], [1, 1], True, [1, 1], 1, "
        "False, False, True, True)\n",
        {weight("w", {6, 4, 3, 3})});
}

TEST_CASE("convolutions with filters of the network run packed, others do not") {
    const auto dense = weight("w", {5, 6, 3, 3});
    const auto bias = weight("b", {5});
    CHECK(packed_calls("  return torch.conv2d(x, self.w, self.b, [1, 2], 1)\n", {dense, bias}) ==
          1);
    CHECK(
        packed_calls("  return torch._convolution(x, self.w, None, [1, 1], [1, 1], [1, 1], False, "
                     "[0, 0], 1, False, False, True, True)\n",
                     {dense}) == 1);
    CHECK(packed_calls("  return torch.conv2d(x, self.w * 2)\n", {dense}) == 0);
    // A bias and a number of which nothing is known before the run.
    CHECK(packed_calls("  return torch.conv2d(x, self.w, self.b.view(-1))\n", {dense, bias}) == 0);
    CHECK(packed_calls("  return torch.conv2d(x, self.w, None, 1, x.size(0))\n", {dense}) == 0);
    CHECK(packed_calls("  self.w.data.mul_(2)\n  return torch.conv2d(x, self.w)\n", {dense}) == 0);
}

TEST_CASE("convolutions of one and three dimensions stay as they are") {
    check(
        "  return torch._convolution(x.flatten(2), self.w, None, [1], [1], [1], False, [0], 1, "
        "False, False, True, True)\n",
        {weight("w", {4, 6, 3})});
    check(
        "  return torch._convolution(x.unsqueeze(1), self.w, None, [1, 1, 1], [0, 1, 1], "
        "[1, 1, 1], False, [0, 0, 0], 1, False, False, True, True)\n",
        {weight("w", {4, 1, 2, 3, 3})});
}

TEST_CASE("what a packed convolution gives does not depend on earlier calls") {
    for (const std::string forward :
         {"  return torch.conv2d(x, self.w, self.b.view(-1))\n",
          "  self.w.clamp_(0)\n  return torch.conv2d(x, self.w, self.b)\n"}) {
        CAPTURE(forward);
        const LayerRecorder recorder(
            network(forward, {weight("w", {64, 6, 1, 1}), weight("b", {64})},
                    MemoryLayout::channels_last),
            {"logits"});
        const auto first = recorder.record(images, shape)[0].values;
        CHECK(recorder.record(images, shape)[0].values == first);
    }
}

TEST_CASE("a convolution that is not needed is not run") {
    // Its input has too few channels.
    check("  y = torch.conv2d(x[:, :2], self.w)\n  return torch.conv2d(x, self.w)\n",
          {weight("w", {4, 6, 3, 3})});
}

TEST_CASE("images of one pixel, of odd places in memory and without a batch are convolved too") {
    const auto one = weight("w", {4, 6, 1, 1});
    check("  return torch.conv2d(x.mean([2, 3], True), self.w)\n", {one});
    check("  return torch.conv2d(x[:, :, 1:, ::2], self.w)\n", {one});
    check("  return torch.conv2d(x.transpose(2, 3), self.w)\n", {one});
    check("  return torch.stack([torch.conv2d(image, self.w) for image in x])\n", {one});
    check("  return torch.conv2d(x.double(), self.w.double())\n", {one});
}

TEST_CASE("images that lie farther apart than their pixels take are convolved too") {
    const auto weights = std::vector{weight("w", {5, 6, 3, 3}), weight("b", {5})};
    const auto of = [&](const std::string& image) {
        return "torch.conv2d(" + image + ", self.w, self.b, padding=1)";
    };
    // A crop of rows is without gaps where it is of one image.
    check("  return torch.cat([" + of("x[:1, :, 2:8]") + ", " + of("x[1:, :, 2:8]") + "])\n",
          weights);
    check("  return torch.cat([" + of("x[:1, :, 3:4]") + ", " + of("x[1:, :, :1]") + "])\n",
          weights);
    check("  a, b = torch.chunk(x[:, :, :8], 2, 2)\n  return " + of("b") + " + " + of("a") + "\n",
          weights);
    check("  return torch.conv2d(torch.mean(x, [2, 3], True)[:, 1:], self.w)\n",
          {weight("w", {4, 5, 1, 1})});
    check(
        "  y = torch.mean(x, [2, 3], True)\n"
        "  return torch.cat([torch.conv2d(y[:1, 1:], self.w), torch.conv2d(y[1:, :5], self.w)])\n",
        {weight("w", {4, 5, 1, 1})});
}

TEST_CASE("filters that a network changes or chooses between are those of each call") {
    const auto w = weight("w", {4, 6, 3, 3});
    check("  y = torch.conv2d(x, self.w)\n  self.w.mul_(2)\n  return y\n", {w}, 3);
    check("  y = torch.conv2d(x, self.w, self.b)\n  self.b.add_(1)\n  return y\n",
          {w, weight("b", {4})}, 3);
    check(
        "  y = torch.zeros([1])\n"
        "  for i in range(3):\n"
        "    y = y + torch.conv2d(x, self.w, None, 1, i)[:, :, :7, :5]\n"
        "  return y\n",
        {w});
    check(
        "  y = torch.zeros([1])\n"
        "  for i in range(3):\n"
        "    bias = self.b if i == 1 else None\n"
        "    y = y + torch.conv2d(x, self.w, bias)\n"
        "  return y\n",
        {w, weight("b", {4})});
}

TEST_CASE("what F.conv2d refuses is refused with its reason") {
    const auto refusal = [](const std::string& forward) {
        const auto net = network(forward, {weight("w", {4, 5, 3, 3})}, MemoryLayout::channels_last);
        try {
            LayerRecorder(net, {"logits"}).record(images, shape);
            return std::string("none");
        } catch (const ventral::core::InputError& error) {
            return std::string(error.what());
        }
    };
    CHECK_THAT(refusal("  return torch.conv2d(x, self.w)\n"),
               Catch::Contains("to have 5 channels, but got 6 channels"));
    CHECK_THAT(refusal("  return torch.conv2d(x[:, :5, :2], self.w)\n"),
               Catch::Contains("Kernel size can't be greater than actual input size"));
    CHECK_THAT(refusal("  return torch.conv2d(x[:, :5], self.w, None, 0)\n"),
               Catch::Contains("non-positive stride is not supported"));
}

TEST_CASE("threads that begin with the same packed convolution get the same bits") {
    const auto net = network("  return torch.conv2d(x, self.w, None, 1, 1)\n",
                             {weight("w", {32, 6, 3, 3})}, MemoryLayout::channels_last);
    const auto expected = LayerRecorder(net, {"logits"}).record(images, shape)[0].values;
    const LayerRecorder recorder(net, {"logits"});
    std::vector<Values> given(4);
    std::vector<std::thread> threads;
    for (auto& values : given)
        threads.emplace_back([&] { values = recorder.record(images, shape)[0].values; });
    for (auto& thread : threads) thread.join();
    for (const auto& values : given) CHECK(values == expected);
}

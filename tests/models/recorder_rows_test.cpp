#include <cmath>
#include <limits>
#include <utility>

#include <catch2/catch.hpp>

#include "models/recording/recorder.hpp"
#include "models/small_recorder.hpp"
#include "support/torch_fixture.hpp"

using Catch::Matchers::Contains;
using namespace ventral::models;
using namespace ventral::test;

TEST_CASE("a layer whose shape depends on the images is an error that names it") {
    const auto network = reloaded({"Net",
                                   "def forward(self, x):\n"
                                   "  return self.part.forward(x)\n",
                                   {},
                                   {leaf("part", "x if bool(x.sum() < 0) else x[:, :, :, :1]")},
                                   ""});
    const Values four{1, -2, 3, -4, 5, 6, 7, 8};
    CHECK_THROWS_WITH(LayerRecorder(network, {"part"}).record(four, two_shape),
                      Contains("layer 'part' gives some images another shape than others"));
}

TEST_CASE("layers behind operators that read memory as it lies are refused in channels_last") {
    const ScriptedModule net{
        "Net",
        "def forward(self, x):\n"
        "  x = self.first.forward(x)\n"
        "  if self.training:\n"
        "    x = x.as_strided([1, 1, 1, 1], [1, 1, 1, 1])\n"
        "  return self.windows.forward(x)\n",
        {},
        {leaf("first", "x + 1"), leaf("windows", "torch.as_strided(x, [2, 1, 2], [2, 2, 1])")},
        ""};
    CHECK(recorded(reloaded(net), "windows") == Values{2, -1, 4, -3});
    const auto network = reloaded(net, MemoryLayout::channels_last);
    CHECK(recorded(network, "first") == Values{2, -1, 4, -3});
    const LayerRecorder recorder(network, {"windows"});
    CHECK(recorder.shapes(two_images, two_shape)[0] == LayerShape{1, 2});
    CHECK_THROWS_WITH(recorder.record(two_images, two_shape),
                      Contains("depends on how tensors lie in memory (as_strided) give its record "
                               "memory_layout = \"contiguous\""));
}

TEST_CASE("values are in channel, row, column order in both memory layouts") {
    const auto batch = ramp(2 * 3 * 4 * 5);
    Values negative;
    for (const float value : batch) negative.push_back(-value);
    // The second is only marked as negative.
    for (const auto& [expression, expected] :
         {std::pair("torch.max_pool2d(x, [1, 1])", batch), {"torch._neg_view(x)", negative}}) {
        const ScriptedModule net{"Net",
                                 "def forward(self, x):\n  return self.part.forward(x)\n",
                                 {},
                                 {leaf("part", expression)},
                                 ""};
        for (const auto layout : {MemoryLayout::contiguous, MemoryLayout::channels_last}) {
            const LayerRecorder recorder(reloaded(net, layout), {"part"});
            const auto outputs = recorder.record(batch, {2, 3, 4, 5});
            CHECK(outputs[0].values == expected);
            CHECK(outputs[0].shape == LayerShape{3, 4, 5});
        }
    }
}

TEST_CASE("NaN and infinities stay, and other types become float32") {
    const auto network =
        reloaded({"Net",
                  "def forward(self, x):\n  return self.whole.forward(self.same.forward(x))\n",
                  {},
                  {leaf("same", "x"), leaf("whole", "(x > 0).long()")},
                  ""});
    const auto infinity = std::numeric_limits<float>::infinity();
    const auto outputs = LayerRecorder(network, {"same", "whole"})
                             .record(Values{std::nanf(""), infinity, -infinity, 1}, two_shape);
    CHECK(std::isnan(outputs[0].values[0]));
    CHECK(outputs[0].values[1] == infinity);
    CHECK(outputs[0].values[2] == -infinity);
    CHECK(outputs[1].values == Values{0, 1, 0, 1});
}

TEST_CASE("a network that cannot be run in channels_last is told the layout that it needs") {
    const auto root = leaf("Net", "x.view([x.size(0), -1])");
    const BatchShape shape{2, 2, 2, 2};
    const auto batch = ramp(16);
    CHECK(LayerRecorder(reloaded(root), {"logits"}).record(batch, shape)[0].values == batch);
    const auto network = reloaded(root, MemoryLayout::channels_last);
    CHECK_THROWS_WITH(LayerRecorder(network, {"logits"}).record(batch, shape),
                      Contains("memory_layout = \"contiguous\""));
}

TEST_CASE("a layer that has no row per stimulus is an error, a value per stimulus is a feature") {
    const auto mean = reloaded(leaf("Net", "torch.mean(x)"));
    CHECK_THROWS_WITH(recorded(mean, "logits"), Contains("layer 'logits' gives []"));
    const auto moved = reloaded(leaf("Net", "x.permute([3, 1, 2, 0])[:1]"));
    CHECK_THROWS_WITH(recorded(moved, "logits"), Contains("gives [1 x 1 x 1 x 2]"));
    const auto sums = reloaded(leaf("Net", "torch.sum(x, [1, 2, 3])"));
    const auto output = LayerRecorder(sums, {"logits"}).record(two_images, two_shape)[0];
    CHECK(output.values == Values{-1, -1});
    CHECK(output.shape == LayerShape{1});
}

TEST_CASE("a table that happens to have as many rows as the batch is not taken for features") {
    const auto network = reloaded({"Net",
                                   "def forward(self, x):\n"
                                   "  y = self.table.forward(torch.arange(2, dtype=6))\n"
                                   "  return self.last.forward(x.flatten(1) + y.sum())\n",
                                   {},
                                   {leaf("table", "torch.stack([x, x], 1)"), leaf("last", "x + 1")},
                                   ""});
    CHECK_FALSE(LayerRecorder(network, {"table"}).shapes(two_images, two_shape)[0]);
    CHECK(recorded(network, "last").size() == two_images.size());
    CHECK_THROWS_WITH(recorded(network, "table"),
                      Contains("gives [2 x 2] (not a row of real numbers for each of 2 stimuli, "
                               "but the same rows for any of them)"));
}

TEST_CASE("a network of one size of batches has its rows all the same") {
    const auto network = reloaded(leaf("Net", "x.view([2, -1]).repeat([1, 2])"));
    CHECK(recorded(network, "logits").size() == 2 * two_images.size());
}

TEST_CASE("an axis that happens to be as long as the batch is not taken for the stimuli") {
    // [token, stimulus, feature] of two tokens, as attention has it where the batch is not first.
    const auto network = reloaded({"Net",
                                   "def forward(self, x):\n"
                                   "  x = self.tokens.forward(x.flatten(1).t().unsqueeze(2))\n"
                                   "  return self.last.forward(x.transpose(0, 1))\n",
                                   {},
                                   {leaf("tokens", "x + 1"), leaf("last", "torch.cat([x, x], 2)")},
                                   ""});
    const LayerRecorder recorder(network, {"tokens", "last"});
    const auto shapes = recorder.shapes(two_images, two_shape);
    CHECK_FALSE(shapes[0]);
    CHECK(shapes[1] == LayerShape{2, 2});
    CHECK(recorded(network, "last") == Values{2, 2, -1, -1, 4, 4, -3, -3});
    CHECK_THROWS_WITH(
        recorded(network, "tokens"),
        Contains("gives [2 x 2 x 1] (not a row of real numbers for each of 2 stimuli, "
                 "which are along another axis than the first)"));
}

TEST_CASE("a network that takes batches of one size only keeps its layers") {
    const auto network = reloaded({"Net",
                                   "def forward(self, x):\n"
                                   "  assert x.size(0) == 2\n"
                                   "  return x\n",
                                   {},
                                   {},
                                   ""});
    CHECK(recorded(network, "logits") == two_images);
}

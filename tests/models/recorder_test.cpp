#include "models/recording/recorder.hpp"

#include <cmath>
#include <limits>
#include <thread>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "support/shared.hpp"
#include "support/temporary_folder.hpp"
#include "support/torch_fixture.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using ventral::core::InputError;
using namespace ventral::models;
using namespace ventral::test;
using Values = std::vector<float>;

namespace {

ScriptedModule leaf(const std::string& name, const std::string& expression) {
    return {name, "def forward(self, x):\n  return " + expression + "\n", {}, {}, ""};
}

Network saved(const ScriptedModule& root, MemoryLayout layout = MemoryLayout::contiguous) {
    const TemporaryFolder folder;
    save_network(root, folder.file("network.ts"));
    return Network::load(folder.file("network.ts"), {.memory_layout = layout});
}

/// Two stimuli of one channel and 1 × 2 pixels.
const Values two_images{1, -2, 3, -4};
constexpr BatchShape two_shape{2, 1, 1, 2};

Values recorded(const Network& network, const std::string& layer) {
    return LayerRecorder(network, {layer}).record(two_images, two_shape)[0].values;
}

Values ramp(std::size_t count) {
    Values values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<float>(i));
    return values;
}

}  // namespace

TEST_CASE("a record is what the layer returned, before an operator overwrites it in place") {
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  y = self.double.forward(x)\n"
                                "  z = torch.relu_(y)\n"
                                "  z.add_(10)\n"
                                "  return z\n",
                                {},
                                {leaf("double", "2 * x")},
                                ""});
    CHECK(recorded(network, "double") == Values{2, -4, 6, -8});
    CHECK(recorded(network, "logits") == Values{12, 10, 16, 10});
}

TEST_CASE("the caller's batch stays as it is, whatever the network does to its input") {
    const auto network = saved(leaf("Net", "x.mul_(0)"));
    auto batch = two_images;
    LayerRecorder(network, {"logits"}).record(batch, two_shape);
    CHECK(batch == two_images);
}

TEST_CASE("of several calls the last one is recorded, in loops and branches too") {
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  x = self.next.forward(x)\n"
                                "  for i in range(3):\n"
                                "    x = self.next.forward(x)\n"
                                "    if i == 1:\n"
                                "      x = self.sometimes.forward(x)\n"
                                "  return x\n",
                                {},
                                {leaf("next", "x + 1"), leaf("sometimes", "x * 10")},
                                ""});
    // x+1, x+1, x+1, times 10, x+1: 1 → 4 → 40 → 41.
    CHECK(recorded(network, "sometimes") == Values{40, 10, 60, -10});
    CHECK(recorded(network, "next") == Values{41, 11, 61, -9});
}

TEST_CASE("a method that somebody called forward2 is no call of the layer") {
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  return self.part.forward2(self.part.forward(x))\n",
                                {},
                                {{"part",
                                  "def forward(self, x):\n"
                                  "  return x + 1\n"
                                  "def forward2(self, x):\n"
                                  "  return x * 100\n",
                                  {},
                                  {},
                                  ""}},
                                ""});
    CHECK(recorded(network, "part") == Values{2, -1, 4, -3});
    CHECK(recorded(network, "logits") == Values{200, -100, 400, -300});
}

TEST_CASE("a layer is recorded where forward does nothing but call another method") {
    // As in the ResNets of torchvision: unfolding that call takes away the graph's first node.
    const auto network = saved({"Net",
                                "def forward_impl(self, x):\n"
                                "  return self.double.forward(x) + 1\n"
                                "def forward(self, x):\n"
                                "  return self.forward_impl(x)\n",
                                {},
                                {leaf("double", "x * 2")},
                                ""});
    CHECK(recorded(network, "double") == Values{2, -4, 6, -8});
    CHECK(recorded(network, "logits") == Values{3, -3, 7, -7});
}

TEST_CASE("of calls under several names the last one is recorded, whichever name is asked for") {
    const ScriptedModule next{"next",
                              "def forward(self, x):\n  return self.add.forward(x) * self.one\n",
                              {{"one", {1}, {1}}},
                              {leaf("add", "x + 1")},
                              ""};
    const ScriptedModule net{"Net",
                             "def forward(self, x):\n"
                             "  x = self.next.forward(self.copy.forward(x))\n"
                             "  return self.copy.forward(x * 10)\n",
                             {},
                             {next},
                             "",
                             "copy"};
    // x + 1, x + 1, times 10, x + 1.
    const Values last{31, 1, 51, -19};
    const auto network = saved(net);
    for (const auto* name : {"next", "copy", "next.add", "copy.add", "logits"})
        CHECK(recorded(network, name) == last);
    CHECK(network.layers() == std::vector<std::string>{"next", "next.add", "logits"});
}

TEST_CASE("of a tuple the first tensor is recorded, also inside a tuple") {
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  p, n = self.pair.forward(x)\n"
                                "  return self.nested.forward(p)[1] + n\n",
                                {},
                                {leaf("pair", "(x + 1, 5)"), leaf("nested", "((x * 2, 1), x)")},
                                ""});
    CHECK(recorded(network, "pair") == Values{2, -1, 4, -3});
    CHECK(recorded(network, "nested") == Values{4, -2, 8, -6});
}

TEST_CASE("brackets behind a layer's name choose another member of a tuple") {
    const auto network =
        saved({"Net",
               "def forward(self, x):\n"
               "  a, b = self.pair.forward(x)\n"
               "  c, d = self.nested.forward(a)\n"
               "  return (b, c[0] + d)\n",
               {},
               {leaf("pair", "(x + 1, x * 5)"), leaf("nested", "((x, x * 2), -x)")},
               ""});
    CHECK(recorded(network, "pair[0]") == Values{2, -1, 4, -3});
    CHECK(recorded(network, "pair[1]") == Values{5, -10, 15, -20});
    CHECK(recorded(network, "nested[0][1]") == Values{4, -2, 8, -6});
    CHECK(recorded(network, "nested[1]") == Values{-2, 1, -4, 3});
    CHECK(recorded(network, "logits[1]") == Values{0, 0, 0, 0});
}

TEST_CASE("of a dict or a list the member that is named is recorded, before it is overwritten") {
    const ScriptedModule heads{"heads",
                               "def forward(self, x) -> Dict[str, Tensor]:\n"
                               "  found: Dict[str, Tensor] = {'out': x + 1}\n"
                               "  found['aux'] = x * 2\n"
                               "  return found\n",
                               {},
                               {},
                               ""};
    const ScriptedModule scales{"scales",
                                "def forward(self, x) -> List[Tensor]:\n"
                                "  return [x, x * 10]\n",
                                {},
                                {},
                                ""};
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  found = self.heads.forward(x)\n"
                                "  found['aux'].zero_()\n"
                                "  return self.scales.forward(found['out'])[1]\n",
                                {},
                                {heads, scales},
                                ""});
    CHECK(recorded(network, "heads[out]") == Values{2, -1, 4, -3});
    CHECK(recorded(network, "heads[aux]") == Values{2, -4, 6, -8});
    CHECK(recorded(network, "scales[1]") == Values{20, -10, 40, -30});
    CHECK(network.tensors() == std::vector<std::string>{"heads[out]", "heads[aux]", "logits"});
    CHECK(network.layers() == std::vector<std::string>{"logits"});
}

TEST_CASE("a member that an output lacks is not in the way of other layers") {
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  a = self.found.forward(x)\n"
                                "  b = self.found.forward(x[:1])\n"
                                "  return self.scales.forward(a['out'])[0]\n",
                                {},
                                {{"found",
                                  "def forward(self, x) -> Dict[str, Tensor]:\n"
                                  "  d = {'out': x}\n"
                                  "  if x.size(0) > 1:\n"
                                  "    d['of many'] = x\n"
                                  "  return d\n",
                                  {},
                                  {},
                                  ""},
                                 {"scales",
                                  "def forward(self, x) -> List[Tensor]:\n"
                                  "  return [x + 1, x + 2]\n",
                                  {},
                                  {},
                                  ""}},
                                ""});
    const LayerRecorder recorder(
        network, {"scales[2]", "found[of many]", "scales[-2]", "scales[1]", "scales[-3]"});
    const auto shapes = recorder.shapes(two_images, two_shape);
    CHECK_FALSE(shapes[0]);
    CHECK_FALSE(shapes[1]);  // the last call had one image
    CHECK(shapes[2] == LayerShape{1, 1, 2});
    CHECK(shapes[3] == LayerShape{1, 1, 2});
    CHECK_FALSE(shapes[4]);
    CHECK(recorded(network, "scales[-2]") == Values{2, -1, 4, -3});
    CHECK_THROWS_WITH(recorded(network, "scales[2]"),
                      Contains("layer 'scales[2]' was not called for these images, or what it gave "
                               "has no such member"));
}

TEST_CASE("a member that only the run finds missing is an error that names the network") {
    const auto network =
        saved({"Net",
               "def forward(self, x):\n  return self.scales.forward(x)[0]\n",
               {},
               {{"scales", "def forward(self, x) -> List[Tensor]:\n  return [x, x]\n", {}, {}, ""}},
               ""});
    CHECK_THROWS_WITH(recorded(network, "scales[2]"), StartsWith(network.path() + ": "));
}

TEST_CASE(
    "a layer of a block inside a block, called twice and then overwritten, is its last call") {
    const ScriptedModule block{
        "0",
        "def forward(self, x):\n"
        "  y = self.relu.forward(self.double.forward(x))\n"
        "  y = self.relu.forward(y + x)\n"
        "  return y.mul_(0)\n",
        {},
        {{"relu", "def forward(self, x):\n  return torch.relu_(x)\n", {}, {}, ""},
         leaf("double", "x * 2")},
        ""};
    const ScriptedModule stage{"layer3",
                               "def forward(self, x):\n  return getattr(self, \"0\").forward(x)\n",
                               {},
                               {block},
                               ""};
    const auto network =
        saved({"Net", "def forward(self, x):\n  return self.layer3.forward(x)\n", {}, {stage}, ""});
    // relu(2x) + x is 3 and -2 for the first image, 9 and -4 for the second.
    CHECK(recorded(network, "layer3.0.relu") == Values{3, 0, 9, 0});
    CHECK(recorded(network, "layer3.0.double") == Values{2, -4, 6, -8});
    CHECK(recorded(network, "layer3.0") == Values{0, 0, 0, 0});
}

TEST_CASE("layers of all depths are recorded in one pass, in the order asked for, also twice") {
    const ScriptedModule block{"block",
                               "def forward(self, x):\n  return self.a.forward(x) + 1\n",
                               {},
                               {leaf("a", "-x")},
                               ""};
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  return torch.flatten(self.block.forward(x), 1)[:, :1]\n",
                                {},
                                {block},
                                ""});
    const LayerRecorder recorder(network, {"logits", "block.a", "block", "block.a"});
    const auto outputs = recorder.record(two_images, two_shape);
    REQUIRE(outputs.size() == 4);
    CHECK(outputs[0].values == Values{0, -2});
    CHECK(outputs[0].shape == LayerShape{1});
    CHECK(outputs[1].values == Values{-1, 2, -3, 4});
    CHECK(outputs[1].shape == LayerShape{1, 1, 2});
    CHECK(outputs[2].values == Values{0, 3, -2, 5});
    CHECK(outputs[3].values == outputs[1].values);
}

TEST_CASE("what is behind the last wanted layer is not run") {
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  x = self.first.forward(x)\n"
                                "  assert x.size(0) == 100\n"
                                "  return x\n",
                                {},
                                {leaf("first", "x")},
                                ""});
    CHECK(recorded(network, "first") == two_images);
    CHECK_THROWS_AS(recorded(network, "logits"), InputError);
}

TEST_CASE("images of several batches are recorded one pass after the other") {
    // Adds the mean of its batch: each image knows which others are in its pass.
    const LayerRecorder recorder(saved(leaf("Net", "x + x.mean()")), {"logits"});
    const Values six{1, -2, 3, -4, 5, 6, 7, 8, 0, 0, 0, 9};
    Values expected;
    for (std::size_t first = 0; first < 12; first += 4) {
        const Values two(six.begin() + static_cast<std::ptrdiff_t>(first),
                         six.begin() + static_cast<std::ptrdiff_t>(first) + 4);
        const auto pass = recorder.record(two, two_shape)[0].values;
        expected.insert(expected.end(), pass.begin(), pass.end());
    }
    // Means −0.5, 6.5 and 2.25.
    CHECK(expected ==
          Values{0.5, -2.5, 2.5, -4.5, 11.5, 12.5, 13.5, 14.5, 2.25, 2.25, 2.25, 11.25});
    CHECK(recorder.record(six, two_shape)[0].values == expected);
    CHECK(recorder.record(six, two_shape, recorder.record(two_images, two_shape))[0].values ==
          expected);
}

TEST_CASE("a layer whose shape depends on the images is an error that names it") {
    const auto network = saved({"Net",
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
    CHECK(recorded(saved(net), "windows") == Values{2, -1, 4, -3});
    const auto network = saved(net, MemoryLayout::channels_last);
    CHECK(recorded(network, "first") == Values{2, -1, 4, -3});
    const LayerRecorder recorder(network, {"windows"});
    CHECK(recorder.shapes(two_images, two_shape)[0] == LayerShape{1, 2});
    CHECK_THROWS_WITH(recorder.record(two_images, two_shape),
                      Contains("depends on how tensors lie in memory (as_strided) give its record "
                               "memory_layout = \"contiguous\""));
}

TEST_CASE("values are in channel, row, column order in both memory layouts") {
    const ScriptedModule net{"Net",
                             "def forward(self, x):\n  return self.same.forward(x)\n",
                             {},
                             {leaf("same", "torch.max_pool2d(x, [1, 1])")},
                             ""};
    const auto batch = ramp(2 * 3 * 4 * 5);
    for (const auto layout : {MemoryLayout::contiguous, MemoryLayout::channels_last}) {
        const LayerRecorder recorder(saved(net, layout), {"same"});
        const auto outputs = recorder.record(batch, {2, 3, 4, 5});
        CHECK(outputs[0].values == batch);
        CHECK(outputs[0].shape == LayerShape{3, 4, 5});
    }
}

TEST_CASE("NaN and infinities stay, and other types become float32") {
    const auto network =
        saved({"Net",
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

TEST_CASE("further arguments of forward take their defaults, and without one are refused") {
    const auto with_default =
        saved({"Net", "def forward(self, x, factor: int = 3):\n  return x * factor\n", {}, {}, ""});
    CHECK(recorded(with_default, "logits") == Values{3, -6, 9, -12});
    const auto without =
        saved({"Net", "def forward(self, x, factor: int):\n  return x * factor\n", {}, {}, ""});
    CHECK_THROWS_WITH(recorded(without, "logits"), Contains("forward needs 'factor'"));
    const auto of_list =
        saved({"Net", "def forward(self, x: List[Tensor]):\n  return x[0] + x[1]\n", {}, {}, ""});
    CHECK_THROWS_WITH(recorded(of_list, "logits"), Contains("forward takes List[Tensor], not"));
}

TEST_CASE("a batch that the network cannot take is an error of one line with libtorch's reason") {
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  return torch.mm(torch.flatten(x, 1), self.weight)\n",
                                {{"weight", {3, 1}, {1, 1, 1}}},
                                {},
                                ""});
    CHECK_THROWS_WITH(
        recorded(network, "logits"),
        StartsWith(network.path() + ": forward failed (mat1 and mat2 shapes") && !Contains("\n"));
}

TEST_CASE("a network that cannot be run in channels_last is told the layout that it needs") {
    const auto root = leaf("Net", "x.view([x.size(0), -1])");
    const BatchShape shape{2, 2, 2, 2};
    const auto batch = ramp(16);
    CHECK(LayerRecorder(saved(root), {"logits"}).record(batch, shape)[0].values == batch);
    const auto network = saved(root, MemoryLayout::channels_last);
    CHECK_THROWS_WITH(LayerRecorder(network, {"logits"}).record(batch, shape),
                      Contains("memory_layout = \"contiguous\""));
}

TEST_CASE("a layer that has no row per stimulus is an error, a value per stimulus is a feature") {
    const auto mean = saved(leaf("Net", "torch.mean(x)"));
    CHECK_THROWS_WITH(recorded(mean, "logits"), Contains("layer 'logits' gives []"));
    const auto moved = saved(leaf("Net", "x.permute([3, 1, 2, 0])[:1]"));
    CHECK_THROWS_WITH(recorded(moved, "logits"), Contains("gives [1 x 1 x 1 x 2]"));
    const auto sums = saved(leaf("Net", "torch.sum(x, [1, 2, 3])"));
    const auto output = LayerRecorder(sums, {"logits"}).record(two_images, two_shape)[0];
    CHECK(output.values == Values{-1, -1});
    CHECK(output.shape == LayerShape{1});
}

TEST_CASE("a table that happens to have as many rows as the batch is not taken for features") {
    const auto network = saved({"Net",
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
    const auto network = saved(leaf("Net", "x.view([2, -1]).repeat([1, 2])"));
    CHECK(recorded(network, "logits").size() == 2 * two_images.size());
}

TEST_CASE("an axis that happens to be as long as the batch is not taken for the stimuli") {
    // [token, stimulus, feature] of two tokens, as attention has it where the batch is not first.
    const auto network = saved({"Net",
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
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  assert x.size(0) == 2\n"
                                "  return x\n",
                                {},
                                {},
                                ""});
    CHECK(recorded(network, "logits") == two_images);
}

TEST_CASE("a layer that this batch does not reach has no shape and no record") {
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  x = self.always.forward(x)\n"
                                "  if x.size(0) > 5:\n"
                                "    x = self.seldom.forward(x)\n"
                                "  return x\n",
                                {},
                                {leaf("always", "x"), leaf("seldom", "x")},
                                ""});
    const LayerRecorder recorder(network, {"seldom", "always"});
    const auto shapes = recorder.shapes(two_images, two_shape);
    CHECK_FALSE(shapes[0]);
    CHECK(shapes[1] == LayerShape{1, 1, 2});
    CHECK_FALSE(LayerRecorder(saved(leaf("Net", "torch.mean(x)")), {"logits"})
                    .shapes(two_images, two_shape)[0]);
    CHECK_THROWS_WITH(recorder.record(two_images, two_shape),
                      Contains("layer 'seldom' was not called for these images"));
}

TEST_CASE("layers for training only are refused by name and are not in the way of the others") {
    // As scripting writes GoogLeNet.
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  x = self.always.forward(x)\n"
                                "  aux: Optional[Tensor] = None\n"
                                "  if self.training:\n"
                                "    aux = self.aux.forward(x)\n"
                                "  return self.last.forward(x), aux\n",
                                {},
                                {leaf("always", "x + 1"), leaf("aux", "x"), leaf("last", "x * 2")},
                                ""});
    CHECK(network.layers() == std::vector<std::string>{"always", "last", "logits"});
    CHECK(network.unrecordable() == std::vector<std::string>{"aux"});
    const auto outputs = LayerRecorder(network, network.layers()).record(two_images, two_shape);
    CHECK(outputs[0].values == Values{2, -1, 4, -3});
    CHECK(outputs[2].values == Values{4, -2, 8, -6});
    CHECK_THROWS_WITH(LayerRecorder(network, {"always", "aux"}),
                      Contains("layer 'aux' cannot be recorded (forward never calls it: unused, "
                               "for training only"));
}

TEST_CASE("what is listed can be recorded, whatever tells a block that it is for training only") {
    const ScriptedModule block{"block",
                               "def forward(self, x, training: bool):\n"
                               "  if training:\n"
                               "    x = self.aux.forward(x)\n"
                               "  return x + 1\n",
                               {},
                               {leaf("aux", "x")},
                               ""};
    const auto network = saved({"Net",
                                "def is_train(self) -> bool:\n"
                                "  return self.training\n"
                                "def forward(self, x):\n"
                                "  if self.is_train():\n"
                                "    x = self.head.forward(x)\n"
                                "  return self.block.forward(x, self.training)\n",
                                {},
                                {block, leaf("head", "x")},
                                ""});
    const auto layers = network.layers();
    CHECK(layers == std::vector<std::string>{"head", "block", "block.aux", "logits"});
    const auto shapes = LayerRecorder(network, layers).shapes(two_images, two_shape);
    CHECK_FALSE(shapes[0]);
    CHECK(shapes[1] == LayerShape{1, 1, 2});
    CHECK_FALSE(shapes[2]);
    CHECK(recorded(network, "block") == Values{2, -1, 4, -3});
    CHECK_THROWS_WITH(recorded(network, "block.aux"), Contains("was not called for these images"));
}

TEST_CASE("threads that record at once get the bits of one thread") {
    const ScriptedModule net{
        "Net",
        "def forward(self, x):\n"
        "  for i in range(3):\n"
        "    x = torch.relu_(torch.conv2d(x, self.kernel, None, [1, 1], [1, 1]))\n"
        "  return x\n",
        {{"kernel", {8, 8, 3, 3}, ramp(8 * 8 * 9)}},
        {},
        ""};
    const LayerRecorder recorder(saved(net, MemoryLayout::channels_last), {"logits"});
    const auto batch = ramp(4 * 8 * 16 * 16);
    const BatchShape shape{4, 8, 16, 16};
    const auto alone = recorder.record(batch, shape)[0].values;
    std::vector<int> equal(4, 0);
    std::vector<std::thread> threads;
    for (auto& count : equal)
        threads.emplace_back([&] {
            for (int i = 0; i < 10; ++i) count += recorder.record(batch, shape)[0].values == alone;
        });
    for (auto& thread : threads) thread.join();
    CHECK(equal == std::vector<int>(4, 10));
}

TEST_CASE("what a network stores in itself is gone with the pass, whichever way it is stored") {
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  self.count = self.count + 1\n"
                                "  self.sum.add_(self.count)\n"
                                "  self.part.forward(x)\n"
                                "  return x + self.sum * 10 + self.part.seen * 100\n",
                                {{"count", {1}, {0}}, {"sum", {1}, {2}}},
                                {{"part",
                                  "def forward(self, x):\n"
                                  "  self.seen[0] = self.seen[0] + 1\n"
                                  "  return self.seen\n",
                                  {{"seen", {1}, {4}}},
                                  {},
                                  ""}},
                                ""});
    // 10 (2 + 1) + 100 (4 + 1) more than the images, each time.
    const Values first{531, 528, 533, 526};
    CHECK(recorded(network, "logits") == first);
    CHECK(recorded(network, "logits") == first);
    const LayerRecorder recorder(network, {"logits"});
    recorder.record(two_images, two_shape);
    CHECK(recorder.record(two_images, two_shape)[0].values == first);
}

TEST_CASE("threads do not see what another one's pass stores in the network") {
    const ScriptedModule cell{"Net",
                              "def forward(self, x):\n"
                              "  self.h = torch.zeros_like(x)\n"
                              "  for step in range(200):\n"
                              "    self.h = self.h + x\n"
                              "  return self.h\n",
                              {{"h", {1}, {0}}},
                              {},
                              ""};
    const LayerRecorder recorder(saved(cell), {"logits"});
    std::vector<int> equal(4, 0);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < equal.size(); ++i)
        threads.emplace_back([&, i] {
            const auto k = static_cast<float>(i);
            for (int again = 0; again < 20; ++again)
                equal[i] += recorder.record(Values{k, 0, 1, k}, two_shape)[0].values ==
                            Values{200 * k, 0, 200, 200 * k};
        });
    for (auto& thread : threads) thread.join();
    CHECK(equal == std::vector<int>(4, 20));
}

TEST_CASE("every layer of the real networks is recorded, with one number for each class") {
    struct Real {
        std::string file;
        std::int64_t pixels;
        std::int64_t classes;
    };
    for (const auto& real :
         {Real{"squeezenet1_0_imagenet", 224, 1000}, Real{"mobilenet_v1_025_128", 128, 1000},
          Real{"cifar10_resnet20", 32, 10}}) {
        const auto path = shared_path("data/models/" + real.file + ".ts");
        if (!path) {
            WARN(real.file << " is not tried: no data/models in VENTRAL_SHARED");
            continue;
        }
        const auto network = Network::load(*path);
        const LayerRecorder recorder(network, network.layers());
        const auto batch = ramp(static_cast<std::size_t>(3 * real.pixels * real.pixels));
        const auto outputs = recorder.record(batch, {1, 3, real.pixels, real.pixels});
        CHECK(outputs.size() > 20);
        CHECK(outputs.back().shape == LayerShape{real.classes});
    }
}

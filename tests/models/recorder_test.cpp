#include "models/recording/recorder.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "models/small_recorder.hpp"
#include "support/shared.hpp"
#include "support/torch_fixture.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using ventral::core::InputError;
using namespace ventral::models;
using namespace ventral::test;

TEST_CASE("a record is what the layer returned, before an operator overwrites it in place") {
    const auto network = reloaded({"Net",
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
    const auto network = reloaded(leaf("Net", "x.mul_(0)"));
    auto batch = two_images;
    LayerRecorder(network, {"logits"}).record(batch, two_shape);
    CHECK(batch == two_images);
}

TEST_CASE("of several calls the last one is recorded, in loops and branches too") {
    const auto network = reloaded({"Net",
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
    const auto network = reloaded({"Net",
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
    const auto network = reloaded({"Net",
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
    const auto network = reloaded(net);
    for (const auto* name : {"next", "copy", "next.add", "copy.add", "logits"})
        CHECK(recorded(network, name) == last);
    CHECK(network.layers() == std::vector<std::string>{"next", "next.add", "logits"});
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
    const auto network = reloaded(
        {"Net", "def forward(self, x):\n  return self.layer3.forward(x)\n", {}, {stage}, ""});
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
    const auto network = reloaded({"Net",
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
    const auto network = reloaded({"Net",
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
    const LayerRecorder recorder(reloaded(leaf("Net", "x + x.mean()")), {"logits"});
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

TEST_CASE("further arguments of forward take their defaults, and without one are refused") {
    const auto with_default = reloaded(
        {"Net", "def forward(self, x, factor: int = 3):\n  return x * factor\n", {}, {}, ""});
    CHECK(recorded(with_default, "logits") == Values{3, -6, 9, -12});
    const auto without =
        reloaded({"Net", "def forward(self, x, factor: int):\n  return x * factor\n", {}, {}, ""});
    CHECK_THROWS_WITH(recorded(without, "logits"), Contains("forward needs 'factor'"));
    const auto of_list = reloaded(
        {"Net", "def forward(self, x: List[Tensor]):\n  return x[0] + x[1]\n", {}, {}, ""});
    CHECK_THROWS_WITH(recorded(of_list, "logits"), Contains("forward takes List[Tensor], not"));
}

TEST_CASE("a batch that the network cannot take is an error of one line with libtorch's reason") {
    const auto network = reloaded({"Net",
                                   "def forward(self, x):\n"
                                   "  return torch.mm(torch.flatten(x, 1), self.weight)\n",
                                   {{"weight", {3, 1}, {1, 1, 1}}},
                                   {},
                                   ""});
    CHECK_THROWS_WITH(recorded(network, "logits"),
                      StartsWith(network.path() +
                                 ": forward failed for a batch of 2 x 1 x 1 x 2 (mat1 and mat2") &&
                          !Contains("\n"));
}

TEST_CASE("a layer that this batch does not reach has no shape and no record") {
    const auto network = reloaded({"Net",
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
    CHECK_FALSE(LayerRecorder(reloaded(leaf("Net", "torch.mean(x)")), {"logits"})
                    .shapes(two_images, two_shape)[0]);
    CHECK_THROWS_WITH(recorder.record(two_images, two_shape),
                      Contains("layer 'seldom' was not called for these images"));
}

TEST_CASE("an output whose members only a run fills is told of, and recorded by their names") {
    const auto network = reloaded({"Net",
                                   "def forward(self, x) -> List[Tensor]:\n"
                                   "  steps: List[Tensor] = []\n"
                                   "  for i in range(3):\n"
                                   "    steps.append(x + i)\n"
                                   "  return steps\n",
                                   {},
                                   {},
                                   ""});
    CHECK(network.layers().empty());
    CHECK(network.unrecordable() == std::vector<std::string>{"logits"});
    CHECK_THROWS_WITH(LayerRecorder(network, {"logits"}),
                      Contains("not a tensor, choose one by its place, 'logits[0]'"));
    const auto outputs = LayerRecorder(network, {"logits[2]"}).record(two_images, two_shape);
    CHECK(outputs[0].values == Values{3, 0, 5, -2});
}

TEST_CASE("layers for training only are refused by name and are not in the way of the others") {
    // As scripting writes GoogLeNet.
    const auto network =
        reloaded({"Net",
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
    const auto network = reloaded({"Net",
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

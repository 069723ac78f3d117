#include <catch2/catch.hpp>

#include "models/recording/recorder.hpp"
#include "models/small_recorder.hpp"
#include "support/torch_fixture.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using namespace ventral::models;
using namespace ventral::test;

TEST_CASE("of a tuple the first tensor is recorded, also inside a tuple") {
    const auto network = reloaded({"Net",
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
        reloaded({"Net",
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

TEST_CASE("what may be None is recorded where it is not") {
    const auto maybe = [](const std::string& name, const std::string& limit) {
        return ScriptedModule{name,
                              "def forward(self, x) -> Optional[Tensor]:\n"
                              "  y: Optional[Tensor] = None\n"
                              "  if float(x.max()) > " +
                                  limit +
                                  ":\n"
                                  "    y = x * 2\n"
                                  "  return y\n",
                              {},
                              {},
                              ""};
    };
    const ScriptedModule pair{"pair",
                              "def forward(self, x) -> Tuple[Tensor, Optional[Tensor]]:\n"
                              "  y: Optional[Tensor] = x * 3\n"
                              "  return (x, y)\n",
                              {},
                              {},
                              ""};
    const auto network = reloaded({"Net",
                                   "def forward(self, x):\n"
                                   "  low = self.low.forward(x)\n"
                                   "  high = self.high.forward(x)\n"
                                   "  first, second = self.pair.forward(x)\n"
                                   "  assert low is not None\n"
                                   "  return low + first\n",
                                   {},
                                   {maybe("low", "-1000."), maybe("high", "1000."), pair},
                                   ""});
    CHECK(recorded(network, "low") == Values{2, -4, 6, -8});
    CHECK(recorded(network, "pair[1]") == Values{3, -6, 9, -12});
    CHECK_THROWS_WITH(recorded(network, "high"), Contains("layer 'high'"));
    CHECK(network.tensors() == std::vector<std::string>{"low", "high", "pair", "logits"});
}

TEST_CASE("a tensor behind one that may be None is not listed in its place") {
    const ScriptedModule nested{
        "nested",
        "def forward(self, x) -> Tuple[Tuple[Optional[Tensor], Tensor], Tensor]:\n"
        "  y: Optional[Tensor] = None\n"
        "  return ((y, x * 2), x * 3)\n",
        {},
        {},
        ""};
    const auto network = reloaded({"Net",
                                   "def forward(self, x):\n"
                                   "  pair, other = self.nested.forward(x)\n"
                                   "  return pair[1] + other\n",
                                   {},
                                   {nested},
                                   ""});
    CHECK(network.tensors() == std::vector<std::string>{"nested[0][1]", "nested[1]", "logits"});
    CHECK(recorded(network, "nested[0][1]") == Values{2, -4, 6, -8});
    CHECK_THROWS_WITH(recorded(network, "nested"), Contains("or what it gave is None"));
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
    const auto network = reloaded({"Net",
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
    const auto network = reloaded({"Net",
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
    const auto network = reloaded(
        {"Net",
         "def forward(self, x):\n  return self.scales.forward(x)[0]\n",
         {},
         {{"scales", "def forward(self, x) -> List[Tensor]:\n  return [x, x]\n", {}, {}, ""}},
         ""});
    CHECK_THROWS_WITH(recorded(network, "scales[2]"), StartsWith(network.path() + ": "));
}

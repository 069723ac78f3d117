#include "models/recording/call_tree.hpp"

#include <catch2/catch.hpp>

#include "support/torch_fixture.hpp"

using ventral::models::recordable_layers;
using ventral::test::saved;
using ventral::test::ScriptedModule;

namespace {

ScriptedModule leaf(const std::string& name) {
    return {name, "def forward(self, x):\n  return x + 1\n", {}, {}, ""};
}

}  // namespace

TEST_CASE("layers come in the order of their first call, those above before those below") {
    ScriptedModule a{"a",
                     "def forward(self, x):\n  return self.second.forward(self.first.forward(x))\n",
                     {},
                     {leaf("second"), leaf("first")},
                     ""};
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  x = self.b.forward(x)\n"
                                "  for i in range(2):\n"
                                "    x = self.a.forward(x)\n"
                                "  return self.b.forward(x)\n",
                                {},
                                {a, leaf("unused"), leaf("b")},
                                ""});
    CHECK(recordable_layers(network.module(), network.names()) ==
          std::vector<std::string>{"b", "a", "a.first", "a.second"});
}

TEST_CASE("a submodule with two names is one layer, by the first name") {
    const auto network =
        saved({"Net",
               "def forward(self, x):\n"
               "  return self.one.forward(self.last.forward(self.other.forward(x)))\n",
               {},
               {leaf("one"), leaf("last")},
               "other"});
    CHECK(recordable_layers(network.module(), network.names()) ==
          std::vector<std::string>{"one", "last"});
}

TEST_CASE("a submodule is a layer if it gives a tensor, also as the first member of a tuple") {
    const auto network =
        saved({"Net",
               "def forward(self, x):\n"
               "  n = self.sizes.forward(x)\n"
               "  return self.pair.forward(x)[0] + n[0]\n",
               {},
               {{"sizes", "def forward(self, x):\n  return x.size()\n", {}, {}, ""},
                {"pair", "def forward(self, x):\n  return (x, 1)\n", {}, {}, ""}},
               ""});
    CHECK(recordable_layers(network.module(), network.names()) == std::vector<std::string>{"pair"});
}

TEST_CASE(
    "of a layer that is called several times those tensors are told that every call returns") {
    ScriptedModule cell = {"cell",
                           "def forward(self, x):\n  return (x, x + 1)\n"
                           "def forward1(self, x):\n  return x\n",
                           {},
                           {},
                           ""};
    ScriptedModule late = {"late",
                           "def forward(self, x):\n  return x\n"
                           "def forward1(self, x):\n  return (x, x + 1)\n",
                           {},
                           {},
                           ""};
    ScriptedModule head = {"head",
                           "def forward(self, x):\n  return x\n"
                           "def forward1(self, x):\n  return None\n",
                           {},
                           {},
                           ""};
    for (auto* each : {&cell, &late, &head}) each->is_traced = true;
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  x = self.cell.forward(x)[0]\n"
                                "  x = self.cell.forward1(x)\n"
                                "  x = self.late.forward(x)\n"
                                "  x = self.late.forward1(x)[0]\n"
                                "  y = self.head.forward(x)\n"
                                "  self.head.forward1(x)\n"
                                "  return y\n",
                                {},
                                {cell, late, head},
                                ""});
    CHECK(recordable_layers(network.module(), network.names()) ==
          std::vector<std::string>{"cell", "late"});
    CHECK(ventral::models::doubtful_layers(network.module(), network.names()) ==
          std::vector<std::string>{"cell", "late"});
}

TEST_CASE("members whose keys cannot be written as a layer's name are not offered") {
    const auto network = saved({"Net",
                                "def forward(self, x):\n  return self.heads.forward(x)[\"out\"]\n",
                                {},
                                {{"heads",
                                  "def forward(self, x):\n"
                                  "  return {\"out\": x, \"k]2\": x, \"a[\": x}\n",
                                  {},
                                  {},
                                  ""}},
                                ""});
    CHECK(recordable_layers(network.module(), network.names()) ==
          std::vector<std::string>{"heads[out]"});
}

TEST_CASE("what is called for training only is no layer, however the condition is written") {
    const auto layers_of = [](const std::string& condition) {
        const auto network = saved({"Net",
                                    "def forward(self, x):\n"
                                    "  if " +
                                        condition +
                                        ":\n"
                                        "    x = self.first.forward(x)\n"
                                        "  else:\n"
                                        "    x = self.second.forward(x)\n"
                                        "  return x\n",
                                    {},
                                    {leaf("first"), leaf("second")},
                                    ""});
        return recordable_layers(network.module(), network.names());
    };
    const std::vector<std::string> second{"second"}, first{"first"}, both{"first", "second"};
    CHECK(layers_of("self.training") == second);
    CHECK(layers_of("self.first.training") == second);
    CHECK(layers_of("not self.training") == first);
    CHECK(layers_of("self.training and x.size(0) > 1") == second);
    CHECK(layers_of("self.training or x.size(0) > 1") == both);
    CHECK(layers_of("x.size(0) > 1") == both);
}

TEST_CASE("keys that a dict has in training only are none, those that it has at times are") {
    const auto network = saved({"Net",
                                "def forward(self, x):\n"
                                "  return self.heads.forward(x)['out']\n",
                                {},
                                {{"heads",
                                  "def forward(self, x) -> Dict[str, Tensor]:\n"
                                  "  d = {'out': x}\n"
                                  "  if self.training:\n"
                                  "    d['aux'] = x\n"
                                  "  if x.size(0) > 1:\n"
                                  "    d['maybe'] = x\n"
                                  "  return d\n",
                                  {},
                                  {},
                                  ""}},
                                ""});
    CHECK(recordable_layers(network.module(), network.names()) ==
          std::vector<std::string>{"heads[out]", "heads[maybe]"});
}

TEST_CASE("of tuples in a trace the first tensor is in doubt, unless one operator made all") {
    const std::string inner_too = "def forward(self, x):\n  y = x + 1\n  return (y, y * 2)\n";
    const auto network = saved(
        {"Net",
         "def forward(self, x):\n"
         "  a, b = self.written.forward(x)\n"
         "  c, d = self.traced.forward(a)\n"
         "  e, f = self.sorted.forward(b)\n"
         "  return c + d + e\n",
         {},
         {{"written", inner_too, {}, {}, ""},
          {"traced", inner_too, {}, {}, "", "", true},
          {"sorted", "def forward(self, x):\n  return torch.sort(x)\n", {}, {}, "", "", true}},
         ""});
    CHECK(network.doubtful() == std::vector<std::string>{"traced"});
}

TEST_CASE("further tensors of tuples, and those of dicts with constant keys, are layers too") {
    const auto network =
        saved({"Net",
               "def forward(self, x):\n"
               "  p = self.pair.forward(x)\n"
               "  d = self.through.forward(x)\n"
               "  return self.mixed.forward(p[1])[1]\n",
               {},
               {{"pair", "def forward(self, x):\n  return ((x, 1, x), x)\n", {}, {}, ""},
                {"mixed", "def forward(self, x):\n  return (1, x, {3: x})\n", {}, {}, ""},
                {"through",
                 "def forward(self, x):\n  return self.dict.forward(x)\n",
                 {},
                 {{"dict",
                   "def forward(self, x) -> Dict[str, Tensor]:\n"
                   "  d: Dict[str, Tensor] = {}\n"
                   "  d['first'] = x\n"
                   "  d['second'] = x\n"
                   "  return d\n",
                   {},
                   {},
                   ""}},
                 ""}},
               ""});
    CHECK(recordable_layers(network.module(), network.names()) ==
          std::vector<std::string>{"pair", "pair[0][2]", "pair[1]", "through[first]",
                                   "through[second]", "through.dict[first]", "through.dict[second]",
                                   "mixed[1]", "mixed[2][3]"});
}

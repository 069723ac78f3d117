#include "models/recording/recording_graph.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/torch_fixture.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using ventral::models::Network;
using ventral::models::recording_graph;
using ventral::test::save_network;
using ventral::test::ScriptedModule;
using ventral::test::TemporaryFolder;

namespace {

ScriptedModule leaf(const std::string& name) {
    return {name, "def forward(self, x):\n  return x + 1\n", {}, {}, ""};
}

ScriptedModule sizes(const std::string& name) {
    return {name, "def forward(self, x):\n  return x.size()\n", {}, {}, ""};
}

const ScriptedModule heads{"heads",
                           "def forward(self, x) -> Dict[str, Tensor]:\n"
                           "  return {'out': x, 'aux': x}\n",
                           {},
                           {},
                           ""};

const ScriptedModule filled{"filled",
                            "def forward(self, x) -> Dict[str, Tensor]:\n"
                            "  members: Dict[str, Tensor] = {}\n"
                            "  for name in ['out', 'aux']:\n"
                            "    members[name] = x\n"
                            "  return members\n",
                            {},
                            {},
                            ""};

/// The message for a layer of a network with the submodules first (also called twin), inner,
/// inner.conv, unused, sizes, nothing, pair, steps, heads and filled.
std::string refusal(const std::string& layer) {
    const ScriptedModule inner{
        "inner", "def forward(self, x):\n  return self.conv.forward(x)\n", {}, {leaf("conv")}, ""};
    const TemporaryFolder folder;
    const auto path = folder.file("network.ts");
    save_network({"Net",
                  "def forward(self, x):\n"
                  "  n = self.sizes.forward(x)\n"
                  "  self.nothing.forward(x)\n"
                  "  p = self.pair.forward(x)\n"
                  "  s = self.steps.forward(x)\n"
                  "  x = x + self.heads.forward(x)['out'] + self.filled.forward(x)['aux']\n"
                  "  return self.inner.forward(self.first.forward(x)) * n[0]\n",
                  {},
                  {leaf("first"),
                   inner,
                   leaf("unused"),
                   sizes("sizes"),
                   {"nothing", "def forward(self, x) -> None:\n  pass\n", {}, {}, ""},
                   {"pair", "def forward(self, x):\n  return (1, x)\n", {}, {}, ""},
                   {"steps", "def forward(self, x):\n  return (x, [x, x])\n", {}, {}, ""},
                   heads,
                   filled},
                  "twin"},
                 path);
    try {
        recording_graph(Network::load(path), {"inner", layer});
        return "";
    } catch (const ventral::core::InputError& error) {
        const std::string message = error.what();
        CHECK_THAT(message, StartsWith(path + ": "));
        return message;
    }
}

}  // namespace

TEST_CASE("a layer that does not exist is refused with the names near to it") {
    CHECK_THAT(refusal("inner.con"), EndsWith("no layer 'inner.con', did you mean 'inner.conv'?"));
    CHECK_THAT(refusal("logit"), EndsWith("no layer 'logit', did you mean 'logits'?"));
    CHECK_THAT(refusal(""), EndsWith("no layer '', 'ventral layers' lists those there are"));
    CHECK_THAT(refusal("inner."), Contains("no layer 'inner.'"));
}

TEST_CASE("a layer with two names is accepted by either") {
    CHECK(refusal("first").empty());
    CHECK(refusal("twin").empty());
}

TEST_CASE("a layer that forward never calls, or that gives no tensor, is refused") {
    CHECK_THAT(refusal("unused"), Contains("forward never calls it"));
    CHECK_THAT(refusal("sizes"), Contains("it returns List[int], not a tensor"));
    CHECK_THAT(refusal("nothing"), EndsWith("that gives back its input, such as Identity)"));
}

TEST_CASE("a member that a layer's output lacks is refused with those that can be chosen") {
    CHECK_THAT(refusal("inner[1]"), EndsWith("(Tensor has no member '1', choose 'inner')"));
    CHECK_THAT(refusal("sizes[0]"), Contains("it returns int, not a tensor"));
    CHECK_THAT(refusal("pair[2]"),
               EndsWith("(Tuple[int, Tensor] has no member '2', choose 'pair[1]')"));
    CHECK_THAT(refusal("pair"), EndsWith("not a tensor, choose 'pair[1]')"));
    CHECK_THAT(refusal("heads"), EndsWith("not a tensor, choose 'heads[out]' or 'heads[aux]')"));
    CHECK_THAT(refusal("filled"), EndsWith("not a tensor, choose one by its key, 'filled[KEY]')"));
    CHECK(refusal("filled[aux]").empty());
    CHECK_THAT(refusal("steps[1]"),
               EndsWith("not a tensor, choose one by its place, 'steps[1][0]')"));
    CHECK(refusal("steps[1][0]").empty());
    CHECK_THAT(refusal("heads[oot]"), Contains("no member 'oot', choose 'heads[out]' or"));
    CHECK_THAT(refusal("pair[1"), EndsWith("no layer 'pair[1', did you mean 'pair[1]'?"));
    CHECK(refusal("pair[1]").empty());
    CHECK(refusal("heads[aux]").empty());
}

TEST_CASE("a graph that records nothing is refused") {
    const TemporaryFolder folder;
    const auto path = folder.file("network.ts");
    save_network(leaf("Net"), path);
    CHECK_THROWS_WITH(recording_graph(Network::load(path), {}),
                      path + ": no layer is named to record");
}

TEST_CASE("layers of all depths and the output are accepted together") {
    CHECK(refusal("inner.conv").empty());
    CHECK(refusal("logits").empty());
}

#include "models/network/state_changes.hpp"

#include <catch2/catch.hpp>

#include "models/network/network.hpp"
#include "support/temporary_folder.hpp"
#include "support/torch_fixture.hpp"

using ventral::models::Network;
using ventral::models::StateChanges;
using ventral::test::save_network;
using ventral::test::ScriptedModule;
using ventral::test::TemporaryFolder;
using Names = std::set<std::string>;

namespace {

/// Of a network with the weights `state` and `factor` and the submodule `part`, which has `own`.
StateChanges changes_of(const std::string& forward, const std::string& of_part = "return x") {
    const ScriptedModule part{
        "part", "def forward(self, x):\n  " + of_part + "\n", {{"own", {1}, {1}}}, {}, ""};
    const TemporaryFolder folder;
    save_network({"Net",
                  "def forward(self, x):\n  " + forward + "\n",
                  {{"state", {1}, {0}}, {"factor", {1}, {2}}},
                  {part},
                  ""},
                 folder.file("network.ts"));
    return Network::load(folder.file("network.ts")).changes();
}

}  // namespace

TEST_CASE("a network that reads its weights and overwrites results of its own changes nothing") {
    CHECK(changes_of("return torch.relu_(self.part.forward(x) * self.factor).add_(self.state)")
              .none());
    CHECK(changes_of("x.mul_(self.factor)\n  return x.add_(1)").none());
    CHECK(changes_of("seen = [self.state]\n  seen.append(x)\n  return torch.cat(seen)").none());
    CHECK(changes_of("pair = (x * 2, self.state)\n  a, b = pair\n  return a.add_(b)").none());
    CHECK(changes_of("for part in torch.chunk(x, 2, 3):\n    part.add_(1)\n  return x").none());
    CHECK(changes_of("state = self.state.clone()\n  state[0] = 1\n  return x + state").none());
}

TEST_CASE("what is for training only is no change") {
    // As batch normalisation counts its batches.
    CHECK(changes_of("if self.training:\n    self.state.add_(1)\n    self.factor = x\n  return x")
              .none());
}

TEST_CASE("statistics that a normalisation updates are told, which its schema is silent of") {
    const auto of_batch = [](const std::string& training) {
        return changes_of("return torch.batch_norm(x, None, None, self.state, self.factor, " +
                          training + ", 0.1, 1e-5, False)")
            .written;
    };
    const auto of_image = [](const std::string& training) {
        return changes_of("return torch.instance_norm(x, None, None, self.state, self.factor, " +
                          training + ", 0.1, 1e-5, False)")
            .written;
    };
    for (const auto& found : {of_batch("True"), of_image("True"), of_batch("x.size(0) > 1")})
        CHECK(found == Names{"state", "factor"});
    for (const auto& none : {of_batch("False"), of_image("self.training"),
                             of_batch("self.training and x.size(0) > 1")})
        CHECK(none.empty());
}

TEST_CASE("attributes that get another value are told, those of submodules too") {
    CHECK(changes_of("self.state = self.state * 0.5\n  return x").set == Names{"state"});
    const auto of_part = changes_of("return self.part.forward(x)", "self.own = x\n  return x");
    CHECK(of_part.set == Names{"own"});
    CHECK(of_part.written.empty());
}

TEST_CASE("attributes that are written in place are told, by whichever way they are reached") {
    for (const auto* forward :
         {"self.state.add_(1)\n  return x", "self.state[0] = 1\n  return x",
          "state = self.state.view([1, 1])\n  state.add_(1)\n  return x",
          "held = [self.state]\n  held[0].add_(1)\n  return x",
          "held: List[Tensor] = []\n  held.append(self.state)\n  held[0].add_(1)\n  return x",
          "held = {'a': self.state}\n  held['a'].add_(1)\n  return x",
          "a, b = (x, self.state)\n  b.add_(1)\n  return x",
          "if self.training:\n    y = torch.dropout_(self.state, 0.5, True)\n  else:\n"
          "    y = torch.dropout(self.state, 0.5, False)\n  y.add_(1)\n  return x",
          "y = x\n  for i in range(2):\n    y.add_(1)\n    y = self.state\n  return x",
          "y = self.state if x.size(0) > 1 else x\n  y.add_(1)\n  return x"}) {
        CAPTURE(forward);
        CHECK(changes_of(forward).written == Names{"state"});
        CHECK(changes_of(forward).set.empty());
    }
}

TEST_CASE("what is written under another attribute's name, or by a submodule, is told") {
    const auto renamed = changes_of("self.state = self.factor\n  self.state.add_(1)\n  return x");
    CHECK(renamed.written == Names{"state", "factor"});
    CHECK(changes_of("return self.part.forward(self.factor)", "return x.add_(1)").written ==
          Names{"factor"});
}

#include "models/recording_graph.hpp"

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

/// The message for a layer of a network with the submodules first (also called twin), inner,
/// inner.conv, unused and sizes.
std::string refusal(const std::string& layer) {
    const ScriptedModule inner{
        "inner", "def forward(self, x):\n  return self.conv.forward(x)\n", {}, {leaf("conv")}, ""};
    const TemporaryFolder folder;
    const auto path = folder.file("network.ts");
    save_network({"Net",
                  "def forward(self, x):\n"
                  "  n = self.sizes.forward(x)\n"
                  "  return self.inner.forward(self.first.forward(x)) * n[0]\n",
                  {},
                  {leaf("first"), inner, leaf("unused"), sizes("sizes")},
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
    CHECK_THAT(refusal(""), EndsWith("no layer ''"));
    CHECK_THAT(refusal("inner."), Contains("no layer 'inner.'"));
}

TEST_CASE("a layer with two names is refused with the other name") {
    CHECK_THAT(refusal("first"), EndsWith("(it is the same submodule as 'twin')"));
    CHECK_THAT(refusal("twin"), EndsWith("(it is the same submodule as 'first')"));
}

TEST_CASE("a layer that forward never calls, or that gives no tensor, is refused") {
    CHECK_THAT(refusal("unused"), Contains("forward never calls it"));
    CHECK_THAT(refusal("sizes"), Contains("it returns List[int], not a tensor"));
}

TEST_CASE("layers of all depths and the output are accepted together") {
    CHECK(refusal("inner.conv").empty());
    CHECK(refusal("logits").empty());
}

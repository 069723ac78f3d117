#include "models/recording/layer_name.hpp"

#include <catch2/catch.hpp>

#include "models/network/network.hpp"
#include "models/recording/layer_summary.hpp"

using ventral::models::parse_layer_name;
using Members = std::vector<std::string>;

TEST_CASE("a name without brackets is a submodule's") {
    CHECK(parse_layer_name("layer3.0.relu").submodule == "layer3.0.relu");
    CHECK(parse_layer_name("layer3.0.relu").members.empty());
    CHECK(parse_layer_name("").submodule.empty());
}

TEST_CASE("brackets choose members, the outermost first") {
    CHECK(parse_layer_name("head[out]").submodule == "head");
    CHECK(parse_layer_name("head[out]").members == Members{"out"});
    CHECK(parse_layer_name("encoder.lstm[1][0]").submodule == "encoder.lstm");
    CHECK(parse_layer_name("encoder.lstm[1][0]").members == Members{"1", "0"});
}

TEST_CASE("with brackets that do not match the whole text is a name, which no submodule has") {
    for (const std::string text : {"a[", "a[1", "a[]", "a[1]b", "a[1]]", "a[1]b[2]"}) {
        CHECK(parse_layer_name(text).submodule == text);
        CHECK(parse_layer_name(text).members.empty());
    }
    CHECK(parse_layer_name("a]").submodule == "a]");
}

TEST_CASE("brackets in a submodule's own name choose no member") {
    using namespace ventral::models;
    const ScriptModule part{"x[0]", "def forward(self, x):\n  return 2 * x, x\n", {}, {}};
    const auto network =
        Network::build({"Net",
                        "def forward(self, x):\n  return getattr(self, \"x[0]\").forward(x)[1]\n",
                        {},
                        {part}},
                       "net.ts");
    CHECK(network.layers() == Members{"x[0]", "logits"});
    CHECK(network.unrecordable().empty());
    CHECK(parse_layer_name("x[0]", network.names()).members.empty());
    CHECK(parse_layer_name("x[0][1]", network.names()).submodule == "x[0]");
    CHECK(parse_layer_name("x[0][1]", network.names()).members == Members{"1"});
    CHECK(parse_layer_name("y[0]", network.names()).submodule == "y");
    CHECK(summarise_layers(network, {3, 4, 4}, 16).at(1).name == "x[0][1]");
}

#include "models/recording/pass_flops.hpp"

#include <catch2/catch.hpp>

#include "support/temporary_folder.hpp"
#include "support/torch_fixture.hpp"

using namespace ventral::models;
using namespace ventral::test;

namespace {

ScriptedModule linear(const std::string& name, std::int64_t to, std::int64_t from) {
    return {name,
            "def forward(self, x):\n  return torch.linear(x, self.weight)\n",
            {{"weight", {to, from}, std::vector<float>(static_cast<std::size_t>(to * from), 1.0F)}},
            {},
            ""};
}

/// 4 → 5 → 6 → 7 features; the second and third layer are inside a block.
Network saved() {
    const ScriptedModule block{
        "block",
        "def forward(self, x):\n  return self.third.forward(self.second.forward(x))\n",
        {},
        {linear("second", 6, 5), linear("third", 7, 6)},
        ""};
    const TemporaryFolder folder;
    save_network({"Net",
                  "def forward(self, x):\n"
                  "  return self.block.forward(self.first.forward(torch.flatten(x, 1)))\n",
                  {},
                  {linear("first", 5, 4), block},
                  ""},
                 folder.file("network.ts"));
    return Network::load(folder.file("network.ts"));
}

}  // namespace

TEST_CASE("a pass costs what is called until its deepest layer has ended") {
    const auto network = saved();
    const InputShape input{1, 2, 2};
    // Multiplications and additions of products with 5 × 4, 6 × 5 and 7 × 6 weights.
    CHECK(pass_flops(network, {"first"}, input, 1) == 2 * 20);
    CHECK(pass_flops(network, {"block.second", "first"}, input, 1) == 2 * (20 + 30));
    CHECK(pass_flops(network, {"block"}, input, 1) == 2 * (20 + 30 + 42));
    CHECK(pass_flops(network, {"logits"}, input, 1) == 2 * (20 + 30 + 42));
}

TEST_CASE("a pass of a network that takes batches of its own size alone is counted by the image") {
    const TemporaryFolder folder;
    save_network({"Net",
                  "def forward(self, x):\n"
                  "  return self.first.forward(torch.reshape(x, [3, 4]))\n",
                  {},
                  {linear("first", 5, 4)},
                  ""},
                 folder.file("network.ts"));
    const auto network = Network::load(folder.file("network.ts"));
    CHECK(pass_flops(network, {"first"}, {1, 2, 2}, 3) == 2 * 20);
}

#include "models/recording/layout_mistakes.hpp"

#include <catch2/catch.hpp>

#include "support/temporary_folder.hpp"
#include "support/torch_fixture.hpp"

using Catch::Matchers::Contains;
using namespace ventral::models;
using namespace ventral::test;

namespace {

/// What is found of a network whose forward is `y = 2 * x`, then these lines, then a layer "after"
/// of y that doubles it.
std::string found_of(const std::string& lines, std::int64_t batch_size = 16) {
    const TemporaryFolder folder;
    const auto path = folder.file("network.ts");
    save_network(
        {"Network",
         "def forward(self, x):\n  y = 2 * x\n" + lines + "  return self.after.forward(y)\n",
         {},
         {{"after", "def forward(self, x):\n  return 2 * x\n", {}, {}, ""}},
         ""},
        path);
    return mistaken_in_layout(Network::load(path), {3, 4, 5}, batch_size).value_or("");
}

}  // namespace

TEST_CASE("values that hang on the layout are a mistake") {
    CHECK_THAT(found_of("  if y.is_contiguous():\n    y = y + 1\n"),
               Contains("network.ts: layer 'after' has other values") &&
                   Contains("memory_layout = \"contiguous\""));
}

TEST_CASE("what hangs on it with several images alone is a mistake unless there is but one") {
    const std::string lines = "  if len(y) > 1 and y.is_contiguous():\n    y = y + 1\n";
    CHECK_THAT(found_of(lines), Contains("layer 'after' has other values"));
    CHECK(found_of(lines, 1) == "");
    // It takes no other.
    CHECK(found_of("  y = torch.reshape(y, [1, 3, 4, 5])\n" + lines) == "");
}

TEST_CASE("nothing is found of networks whose values lie the same way") {
    CHECK(found_of("") == "");
    CHECK(found_of("  y = torch.relu_(torch.flatten(y, 1))\n") == "");
    CHECK(found_of("  y = torch.relu_(y)\n") == "");
    CHECK(found_of("  y = torch.flatten(torch.relu_(y), 1)\n") == "");
}

TEST_CASE("rounding is not told from a mistake where nothing else is left") {
    CHECK(found_of(
              "  y = y * torch.sum(y, [1, 2, 3], True) / torch.sum(torch.flatten(y, 1)) - y\n") ==
          "");
}

TEST_CASE("what draws random numbers, fails or reads strides is not told from a mistake") {
    CHECK(found_of("  y = torch.dropout(y, 0.5, True)\n") == "");
    CHECK(found_of("  y = torch.matmul(y, y)\n") == "");
    CHECK(found_of("  y = torch.as_strided(y, [1, 60], [60, 1])\n") == "");
}

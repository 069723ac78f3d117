#include "models/recording/layout_writes.hpp"

#include <catch2/catch.hpp>

#include "models/recording/recording_graph.hpp"
#include "support/temporary_folder.hpp"
#include "support/torch_fixture.hpp"

using namespace ventral::models;
using namespace ventral::test;

namespace {

using Names = std::vector<std::string>;

/// Of a network whose forward is `y = 2 * x`, then these lines.
Names found_in(const std::string& lines) {
    const TemporaryFolder folder;
    const auto path = folder.file("network.ts");
    save_network({"Network", "def forward(self, x):\n  y = 2 * x\n" + lines, {}, {}, ""}, path);
    return recording_graph(Network::load(path), {"logits"}).by_layout;
}

}  // namespace

TEST_CASE("a write into a view that may be a copy is found if the tensor is read afterwards") {
    CHECK(found_in("  y.flatten(1)[:, 0] += 2\n  return y\n") == Names{"flatten"});
    CHECK(found_in("  z = y.contiguous()\n  z[:, 0] = 1\n  return 2 * y\n") == Names{"contiguous"});
    CHECK(found_in("  z = torch.relu_(y.reshape(-1))\n  return y + 1\n") == Names{"reshape"});
    CHECK(found_in("  z = torch.ravel(y).add_(1)\n  w = y.flatten(1).mul_(2)\n  return y\n") ==
          Names{"flatten", "ravel"});
}

TEST_CASE("a write into the tensor is found if such a view of it is read afterwards") {
    CHECK(found_in("  z = y.flatten(1)\n  y.relu_()\n  return z\n") == Names{"flatten"});
    CHECK(found_in("  z = y.permute(0, 2, 3, 1).reshape_as(x)\n  y[0].zero_()\n  return z\n") ==
          Names{"reshape_as"});
}

TEST_CASE("views that are handed on by lists, branches and loops are followed") {
    CHECK(found_in("  z = [y.flatten(1), y]\n  z[0].add_(1)\n  return y\n") == Names{"flatten"});
    CHECK(found_in("  z = [x]\n  z.append(y.flatten(1))\n  y.relu_()\n  return z[1]\n") ==
          Names{"flatten"});
    CHECK(found_in("  z = {'x': x}\n  z['y'] = y.flatten(1)\n  y.relu_()\n  return z['y']\n") ==
          Names{"flatten"});
    CHECK(found_in("  z = [x]\n  z.append(y)\n  w = z[1].flatten(1)\n  y.relu_()\n  return w\n") ==
          Names{"flatten"});
    CHECK(found_in("  z = [x, y.flatten(1)][1:]\n  y.relu_()\n  return z[0]\n") ==
          Names{"flatten"});
    CHECK(found_in("  z = list({'y': y.flatten(1)}.values())\n  y.relu_()\n  return z[0]\n") ==
          Names{"flatten"});
    CHECK(found_in("  z, w = y.flatten(1).chunk(2, 1)\n  w.add_(1)\n  return y\n") ==
          Names{"flatten"});
    CHECK(found_in("  if self.training:\n    z = torch.dropout_(y, 0.5, True)\n  else:\n"
                   "    z = torch.dropout(y, 0.5, False)\n"
                   "  z.flatten(1).add_(1)\n  return y\n") == Names{"flatten"});
    CHECK(found_in("  if x.size(0) > 1:\n    z = y.flatten(1)\n  else:\n    z = y\n"
                   "  z.add_(1)\n  return y\n") == Names{"flatten"});
    CHECK(found_in("  z = y\n  for i in range(3):\n    z.add_(1)\n    z = y.flatten(1)\n"
                   "  return y\n") == Names{"flatten"});
}

TEST_CASE("a memory format that is asked for is one that a tensor may have already") {
    const std::string write = "  z.add_(1)\n  return y\n";
    CHECK(found_in("  z = y.to(6, False, False, memory_format=0)\n" + write) == Names{"to"});
    CHECK(found_in("  z = y.to(6)\n" + write).empty());
    CHECK(found_in("  z = y.to(6, False, False, memory_format=1)\n" + write).empty());  // as it is
}

TEST_CASE("what every round of a loop makes anew is of that round alone") {
    const std::string loop = "  for i in range(3):\n";
    CHECK(found_in(loop + "    g = y.flatten(2).sum()\n    y.mul_(g)\n  return y\n").empty());
    CHECK(found_in(loop + "    t = y.flatten(2)\n    y = y + t.sum()\n    y = torch.relu_(y)\n" +
                   "  return y\n")
              .empty());
    CHECK(found_in("  z = y\n" + loop +
                   "    z = y + 1\n    y.flatten(2).add_(1)\n  return z + y\n") ==
          Names{"flatten"});
    CHECK(found_in("  z = y.flatten(2)\n" + loop + "    z.add_(y.flatten(2))\n  return z\n") ==
          Names{"flatten"});
    CHECK(found_in("  t = y.flatten(2)\n" + loop + "    y = y + t.sum()\n    t.add_(1)\n" +
                   "    t = y.flatten(2)\n  return y\n") == Names{"flatten"});
}

TEST_CASE("a dropout in place writes nothing new in evaluation") {
    CHECK(found_in("  z = torch.dropout_(y.flatten(1), 0.5, self.training)\n"
                   "  return torch.cat([z, y.flatten(1)], 1)\n")
              .empty());
    CHECK(found_in("  z = torch.dropout_(y.flatten(1), 0.5, True)\n"
                   "  return torch.cat([z, y.sum([2, 3])], 1)\n") == Names{"flatten"});
}

TEST_CASE("nothing is found where nobody reads the other side, or before the write alone") {
    CHECK(found_in("  z = torch.flatten(torch.relu_(y), 1)\n  return z.add_(1)\n").empty());
    CHECK(
        found_in("  z = y.flatten(1)\n  w = y + 1\n  z.add_(w.flatten(1))\n  return z\n").empty());
    CHECK(found_in("  z = y.flatten(1)\n  z.add_(1)\n  return z.reshape(y.size())\n").empty());
    CHECK(found_in("  z = y.flatten(1) + 1\n  z.add_(1)\n  return y\n").empty());
    CHECK(found_in("  z = y[:, 0]\n  z.add_(1)\n  return y\n").empty());
    CHECK(found_in("  z = [y.flatten(1)]\n  y = torch.relu_(y + 1)\n  z.append(y.flatten(1))\n"
                   "  return torch.cat(z, 1)\n")
              .empty());
    CHECK(found_in("  if self.training:\n    y.flatten(1).add_(1)\n  return y\n").empty());
    CHECK(found_in("  z = y.flatten(1)\n  if self.training:\n    z.add_(1)\n  return y\n").empty());
}

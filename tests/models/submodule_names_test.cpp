#include "models/network/submodule_names.hpp"

#include <catch2/catch.hpp>

#include "support/temporary_folder.hpp"
#include "support/torch_fixture.hpp"

using namespace ventral::models;
using namespace ventral::test;
using Names = std::vector<std::string>;

namespace {

const std::string unchanged = "def forward(self, x):\n  return x\n";

}  // namespace

TEST_CASE("submodules are named from the network down, in the order of registration") {
    const ScriptedModule block{
        "b", unchanged, {}, {{"z", unchanged, {}, {}, ""}, {"a", unchanged, {}, {}, ""}}, ""};
    const auto network = saved({"Net", unchanged, {}, {block, {"a", unchanged, {}, {}, ""}}, ""});
    const auto& names = network.names();
    CHECK(names.all() == Names{"b", "b.z", "b.a", "a"});
    CHECK(names.has("b.z"));
    CHECK_FALSE(names.has("z"));
    CHECK_FALSE(names.has(""));
    CHECK(names.same("a") == Names{"a"});
}

TEST_CASE("one object with two names is one submodule, and so are those in it") {
    const ScriptedModule block{"block", unchanged, {}, {{"relu", unchanged, {}, {}, ""}}, ""};
    const auto network = saved({"Net", unchanged, {}, {block}, "twin"});
    const auto& names = network.names();
    CHECK(names.first("twin") == "block");
    CHECK(names.same("block") == Names{"block", "twin"});
    CHECK(names.same("twin.relu") == Names{"block.relu", "twin.relu"});
    CHECK(names.doubtful().empty());
}

TEST_CASE("submodules that share no more than a constant are different ones") {
    const ScriptedModule blur{"blur", unchanged, {{"kernel", {1}, {2}, true}}, {}, ""};
    const auto network = saved({"Net", unchanged, {}, {blur}, "", "again"});
    CHECK(network.names().same("blur") == Names{"blur"});
    CHECK(network.names().same("again") == Names{"again"});
}

TEST_CASE("a copy with the same class and tensors is the same submodule, in either layout") {
    const ScriptedModule block{"block",
                               unchanged,
                               {{"weight", {2, 2, 1, 1}, {1, 2, 3, 4}}},
                               {{"relu", unchanged, {}, {}, ""}},
                               ""};
    // Like the first in all but its tensors.
    auto other = block;
    other.name = "other";
    const TemporaryFolder folder;
    const auto path = folder.file("network.ts");
    save_network({"Net", unchanged, {}, {block, other}, "", "copy"}, path);
    for (const auto layout : {MemoryLayout::contiguous, MemoryLayout::channels_last}) {
        const auto network = Network::load(path, {.memory_layout = layout});
        CHECK(network.names().same("copy") == Names{"block", "copy"});
        CHECK(network.names().same("copy.relu") == Names{"block.relu", "copy.relu"});
        CHECK(network.names().same("other") == Names{"other"});
        CHECK(network.names().doubtful() == Names{"copy"});
    }
}

TEST_CASE("submodules without tensors are different ones, whatever their class") {
    const auto network =
        saved({"Net", unchanged, {}, {{"relu", unchanged, {}, {}, ""}}, "", "copy"});
    CHECK(network.names().same("relu") == Names{"relu"});
    CHECK(network.names().same("copy") == Names{"copy"});
}

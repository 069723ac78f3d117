#include "leaderboard/parent_tree.hpp"

#include <catch2/catch.hpp>

#include "leaderboard/hand_made_records.hpp"

using namespace ventral;

TEST_CASE("a parent is a path of any depth, and no parent is the root") {
    auto deep = test::scored("k1", "m", "b1");
    auto inner = test::scored("k2", "m", "b2");
    auto root = test::scored("k3", "m", "b3");
    deep.parent = "neural/V4//late";
    inner.parent = "neural";
    root.parent = "";
    const auto tree = leaderboard::parent_tree({&deep, &inner, &root});
    CHECK(tree.records == std::vector<const core::ScoreRecord*>{&root});
    const auto& neural = tree.children.at("neural");
    CHECK(neural.records == std::vector<const core::ScoreRecord*>{&inner});
    CHECK(neural.children.at("V4").records.empty());
    CHECK(neural.children.at("V4").children.at("late").records.front() == &deep);
}

#pragma once
/// @file
/// The tree of the benchmarks' parents.

#include <map>
#include <string>
#include <vector>

#include "core/score.hpp"

namespace ventral::leaderboard {

/// A parent with its own benchmarks' records and the parents inside it, by name.
struct ParentNode {
    std::vector<const core::ScoreRecord*> records;
    std::map<std::string, ParentNode> children;
};

/// Sorts records below their parents: "a/b" is b inside a, any depth; an empty parent is the root.
ParentNode parent_tree(const std::vector<const core::ScoreRecord*>& records);

}  // namespace ventral::leaderboard

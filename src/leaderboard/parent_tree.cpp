#include "leaderboard/parent_tree.hpp"

#include <sstream>

namespace ventral::leaderboard {

ParentNode parent_tree(const std::vector<const core::ScoreRecord*>& records) {
    ParentNode root;
    for (const auto* record : records) {
        auto* node = &root;
        std::istringstream path(record->parent);
        for (std::string name; std::getline(path, name, '/');)
            if (!name.empty()) node = &node->children[name];
        node->records.push_back(record);
    }
    return root;
}

}  // namespace ventral::leaderboard

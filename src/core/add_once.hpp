#pragma once
/// @file
/// Lists without repetitions, in order of first appearance.

#include <algorithm>
#include <vector>

namespace ventral::core {

/// Behind the others, unless it is there.
template <typename T>
void add_once(std::vector<T>& list, const T& value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

}  // namespace ventral::core

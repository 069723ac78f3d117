#pragma once
/// @file
/// Products of sizes.

#include <functional>
#include <numeric>
#include <vector>

namespace ventral::core {

/// 1 of none. It must not be too large for a T.
template <typename T>
T product(const std::vector<T>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), T{1}, std::multiplies<>());
}

}  // namespace ventral::core

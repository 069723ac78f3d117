#pragma once
/// @file
/// Counts for people.

#include <cstddef>
#include <string>

namespace ventral::core {

/// "1 unit", "2 units": of a noun whose plural has an s.
inline std::string counted(std::size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace ventral::core

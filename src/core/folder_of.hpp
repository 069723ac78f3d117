#pragma once
/// @file
/// Where a path lies.

#include <filesystem>

namespace ventral::core {

/// The folder that holds it, by its name: "." for one without folders.
inline std::filesystem::path folder_of(const std::filesystem::path& path) {
    return path.has_parent_path() ? path.parent_path() : ".";
}

}  // namespace ventral::core

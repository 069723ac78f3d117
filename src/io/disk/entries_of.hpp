#pragma once
/// @file
/// What is in a folder that other processes may write to meanwhile.

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace ventral::io {

/// The paths of what is directly in `folder`, in no order: as many as can be listed, `error` saying
/// why there are not more.
std::vector<std::filesystem::path> entries_of(const std::string& folder, std::error_code& error);

/// The same where what cannot be listed does not matter.
std::vector<std::filesystem::path> entries_of(const std::string& folder);

}  // namespace ventral::io

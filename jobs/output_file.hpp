#pragma once
/// @file
/// What a command asks of a file that it is told to write.

#include <string>
#include <vector>

namespace ventral::jobs {

/// Throws `core::InputError` if a command may not write to `path`: its folder does not exist,
/// something is there that `force` does not replace, or it is one of `inputs`, the files that the
/// command reads (empty names are none).
void check_output(const std::string& path, bool force, const std::vector<std::string>& inputs);

}  // namespace ventral::jobs

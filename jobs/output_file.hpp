#pragma once
/// @file
/// What a command asks of a file that it is told to write.

#include <string>
#include <vector>

namespace ventral::jobs {

enum class Existing { keep, replace };

/// Throws `core::InputError` if a command may not write to `path`: its folder does not exist,
/// something is there that is to be kept or is no file, or it is one of `inputs`, the files that
/// the command reads (empty names are none).
void check_output(const std::string& path, Existing existing,
                  const std::vector<std::string>& inputs);

/// As `--force` says.
inline Existing existing(bool force) { return force ? Existing::replace : Existing::keep; }

}  // namespace ventral::jobs

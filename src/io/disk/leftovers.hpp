#pragma once
/// @file
/// Temporary files and folders of processes that have not removed them: they were killed, or had no
/// time to.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace ventral::io {

/// Removes the files and folders directly in `folder` that are named NAME.SUFFIX.tmp or
/// probe.SUFFIX, with a `writer_suffix` or just a `unique_suffix`, and that nobody writes to any
/// more: their process is not there, or, of another machine, nothing of them has been touched in
/// the day before `now` (by the clock of that file system). Returns how many; what cannot be looked
/// at or removed stays. Only names that begin with `of` count.
std::size_t remove_leftovers(const std::string& folder, std::filesystem::file_time_type now,
                             const std::string& of = "");

/// Of the files that it would remove.
std::uint64_t leftover_bytes(const std::string& folder, std::filesystem::file_time_type now);

}  // namespace ventral::io

#pragma once
/// @file
/// Protection from HDF5 1.10, which follows damaged references of variable-length strings without
/// looking and crashes.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace ventral::io {

/// Throws `InputError` that calls the file damaged if a process crashes on it or does not end. The
/// trial of `try_files_with` is asked, for which all parts of the file count, not only those that
/// are read; without an answer a child process does `read`, whose exceptions do not matter there.
/// Under mpiexec, where memory that a network card has registered may be missing in a child,
/// nothing is tried then.
void require_survivable(const std::string& path, const std::function<void()>& read);

/// Has a process that is no child of this one do `read_fragile_parts(path)` and returns how it
/// ended, as from waitpid; nothing if none could be started.
using FileTrial = std::function<std::optional<int>(const std::string& path)>;

/// Whether a process that ended so has met damage in the file: it crashed or did not end. Others
/// were stopped, or wanted for memory.
bool tells_of_damage(int status);

/// Once, before anything is read.
void try_files_with(FileTrial trial);

/// Has this process end where a damaged file makes it crash or read without end, after the time
/// that so many readings may take.
void end_when_damaged(const std::string& path, std::size_t readings = 1);

}  // namespace ventral::io

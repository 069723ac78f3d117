#pragma once
/// @file
/// Protection from HDF5 1.10, which follows damaged references of variable-length strings without
/// looking and crashes.

#include <functional>
#include <string>

namespace ventral::io {

/// Runs `read` in a child process first, where its exceptions do not matter, and throws
/// `InputError` that calls the file damaged if the child crashes or does not end. Under mpiexec
/// nothing is done: memory that a network card has registered may be missing in a child.
void require_survivable(const std::string& path, const std::function<void()>& read);

}  // namespace ventral::io

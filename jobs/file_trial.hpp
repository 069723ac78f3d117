#pragma once
/// @file
/// Protection from HDF5 under mpiexec: damaged files are first read in a process of their own.

#include <optional>
#include <string>
#include <vector>

namespace ventral::jobs {

/// `io::FileTrial` by a process of `do_forked`. Several threads may call it at once.
std::optional<int> try_file(const std::string& path);

/// What that process does with its words, the path alone; returns its exit code.
int try_file_here(const std::vector<std::string>& words);

}  // namespace ventral::jobs

#pragma once
/// @file
/// The processes in which networks and files are tried that may crash what reads them.

#include <string>
#include <vector>

#include "fork_server.hpp"

namespace ventral::jobs {

enum class Trial { networks, file };

/// Forks the server of these processes (`start_fork_server`).
void start_trial_server();

/// Has one do the trial with these words: `try_networks` or `try_file_here`.
ForkedResult do_trial(Trial trial, std::vector<std::string> words);

}  // namespace ventral::jobs

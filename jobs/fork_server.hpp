#pragma once
/// @file
/// Processes for work that may crash. A server is forked off when the program has its libraries and
/// nothing else yet, no MPI, no threads, and forks them from itself: so they are as safe as newly
/// started programs and have no start of libtorch before them.

#include <functional>
#include <string>
#include <vector>

namespace ventral::jobs {

/// What such a process does with the words that it is given: it writes to the descriptor `answers`
/// and returns its exit code. Standard output and standard error go nowhere.
using ForkedWork = std::function<int(const std::vector<std::string>& words, int answers)>;

/// Forks the server, which ends with this process. To be called once, in `main`, before there are
/// threads. If the system refuses, `do_forked` will say so.
void start_fork_server(const ForkedWork& work);

struct ForkedResult {
    std::string answers;  ///< all that it has written
    int status = 0;       ///< as from waitpid
    int start_error = 0;  ///< as `errno`, where no process could be started
};

/// Has a process do the work, within this process's limit of memory, and waits for its end. Like
/// any other process it ends by signals that ask for a stop. Several threads may call it at once.
ForkedResult do_forked(const std::vector<std::string>& words);

}  // namespace ventral::jobs

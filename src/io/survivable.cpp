#include "io/survivable.hpp"

#include <cerrno>
#include <csignal>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "comm/communicator.hpp"
#include "core/errors.hpp"

namespace ventral::io {
namespace {

/// The address sanitizer's allocator may hang in a child of a process of several threads.
#ifdef __SANITIZE_ADDRESS__
constexpr bool can_try_in_child = false;
#else
constexpr bool can_try_in_child = true;
#endif

constexpr rlim_t patience_s = 10;  // of processor time: a slow disk is no damage

[[noreturn]] void read_and_exit(const std::function<void()>& read) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU}) {
        std::signal(signal, SIG_DFL);
    }
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const rlimit patience{patience_s, patience_s + 1};
    setrlimit(RLIMIT_CPU, &patience);
    try {
        read();
    } catch (...) {
    }
    _exit(0);
}

}  // namespace

void require_survivable(const std::string& path, const std::function<void()>& read) {
    if (!can_try_in_child || comm::under_mpiexec()) return;
    const auto child = fork();
    if (child < 0) return;
    if (child == 0) read_and_exit(read);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return;
    }
    if (!WIFSIGNALED(status)) return;
    throw core::InputError(path + ": is damaged (reading it " +
                           (WTERMSIG(status) == SIGXCPU ? "does not end)" : "crashes HDF5)"));
}

}  // namespace ventral::io

#include "io/survivable.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <system_error>

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

/// Seconds of processor time, since a slow disk is no damage; more where there is more to read.
rlim_t patience_for(const std::string& path) {
    constexpr rlim_t at_least = 10;
    constexpr std::uintmax_t at_most_more = 590;
    constexpr std::uintmax_t bytes_a_second = std::uintmax_t{8} << 20;
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(path, ignored);
    return at_least + (ignored ? 0 : std::min(bytes / bytes_a_second, at_most_more));
}

[[noreturn]] void read_and_exit(const std::string& path, const std::function<void()>& read) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU}) {
        std::signal(signal, SIG_DFL);
    }
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const auto seconds = patience_for(path);
    const rlimit patience{seconds, seconds + 1};
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
    if (child == 0) read_and_exit(path, read);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return;
    }
    if (!WIFSIGNALED(status)) return;
    throw core::InputError(path + ": is damaged (reading it " +
                           (WTERMSIG(status) == SIGXCPU ? "does not end)" : "crashes HDF5)"));
}

}  // namespace ventral::io

#include "io/hdf5/survivable.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <initializer_list>
#include <iostream>
#include <utility>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "comm/communicator.hpp"
#include "core/errors.hpp"
#include "io/input_file.hpp"

namespace ventral::io {
namespace {

/// The address sanitizer's allocator may hang in a child of a process of several threads.
#ifdef __SANITIZE_ADDRESS__
constexpr bool can_try_in_child = false;
#else
constexpr bool can_try_in_child = true;
#endif

constexpr std::initializer_list<int> crashes = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

/// Seconds of processor time, since a slow disk is no damage; more where there is more to read.
rlim_t patience_for(const std::string& path, std::size_t readings) {
    constexpr rlim_t at_least = 10;
    constexpr std::uint64_t at_most_more = 590;
    constexpr std::uint64_t bytes_a_second = std::uint64_t{8} << 20;
    return at_least + readings * std::min(file_bytes(path) / bytes_a_second, at_most_more);
}

/// How a child of this process has ended that did `read`; nothing if none could be started.
std::optional<int> try_in_child(const std::string& path, const std::function<void()>& read) {
    if (!can_try_in_child) return std::nullopt;
    std::cout.flush();  // or a message of the child would print it once more
    const auto child = fork();
    if (child < 0) return std::nullopt;
    if (child == 0) {
        end_when_damaged(path);
        try {
            read();
        } catch (...) {
        }
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return std::nullopt;
    return status;
}

FileTrial& file_trial() {
    static FileTrial of_this_process;
    return of_this_process;
}

}  // namespace

void require_survivable(const std::string& path, const std::function<void()>& read) {
    std::optional<int> status;
    if (file_trial()) status = file_trial()(path);
    if (!status && !comm::under_mpiexec()) status = try_in_child(path, read);
    if (!status || !tells_of_damage(*status)) return;
    throw core::InputError(path + (WTERMSIG(*status) == SIGXCPU
                                       ? ": is damaged (reading it does not end)"
                                       : ": is damaged (reading it crashes HDF5)"));
}

bool tells_of_damage(int status) {
    if (!WIFSIGNALED(status)) return false;
    const int signal = WTERMSIG(status);
    return signal == SIGXCPU || std::find(crashes.begin(), crashes.end(), signal) != crashes.end();
}

void try_files_with(FileTrial trial) { file_trial() = std::move(trial); }

void end_when_damaged(const std::string& path, std::size_t readings) {
    for (const int signal : crashes) std::signal(signal, SIG_DFL);
    std::signal(SIGXCPU, SIG_DFL);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const auto seconds = patience_for(path, readings);
    const rlimit patience{seconds, seconds + 1};
    setrlimit(RLIMIT_CPU, &patience);
}

}  // namespace ventral::io

#include "pipeline/stop.hpp"

#include <array>
#include <csignal>
#include <cstdint>

#include <unistd.h>

#include "core/errors.hpp"

namespace ventral::pipeline {
namespace {

constexpr unsigned grace_seconds = 10;

// Signal handlers can reach nothing but these.
volatile std::sig_atomic_t stop_signal = 0;
volatile std::sig_atomic_t code_of_forced_stop = 0;

void request_stop(int signal) {
    if (stop_signal == 0) alarm(grace_seconds);
    stop_signal = signal;
}

void leave_at_once(int) { _exit(code_of_forced_stop); }

void mask_stop_signal(int how) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(how, &signals, nullptr);
}

}  // namespace

void hold_stop_signal() { mask_stop_signal(SIG_BLOCK); }

void listen_for_stop_signals(int forced_code) {
    code_of_forced_stop = forced_code;
    struct sigaction action {};
    action.sa_handler = request_stop;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGUSR1, SIGTERM, SIGINT}) sigaction(signal, &action, nullptr);
    action.sa_handler = leave_at_once;
    sigaction(SIGALRM, &action, nullptr);
    mask_stop_signal(SIG_UNBLOCK);
}

StopRequest::StopRequest(std::optional<std::chrono::duration<double>> limit) {
    if (!limit) return;
    deadline_ = std::chrono::steady_clock::now() +
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(*limit);
}

bool StopRequest::pending() const {
    return stop_signal != 0 || (deadline_ && std::chrono::steady_clock::now() >= *deadline_);
}

void StopRequest::check(comm::Communicator& comm) const {
    std::array<std::int64_t, 1> requests = {pending() ? 1 : 0};
    comm.sum(requests);
    if (requests[0] > 0) throw core::Interrupted("stopped at a safe point as requested");
}

}  // namespace ventral::pipeline

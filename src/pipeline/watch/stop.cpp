#include "pipeline/watch/stop.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <span>

#include <sys/time.h>
#include <unistd.h>

#include "comm/total.hpp"
#include "core/errors.hpp"
#include "pipeline/watch/crash_trace.hpp"
#include "pipeline/watch/signal_text.hpp"

namespace ventral::pipeline {
namespace {

constexpr unsigned grace_seconds = 6;  // `left_at_once` says it too
constexpr unsigned seconds_for_other_ranks = 1;
constexpr int nothing_recorded = 1;
/// A clock of nanoseconds ends after 292 years.
constexpr std::chrono::duration<double> longest_limit = std::chrono::hours(24 * 365 * 100);
constexpr char stopped_text[] = "stopped at a safe point as requested";
constexpr char left_at_once[] =
    "warning: not at an end 6 s after it was asked to stop, left at once; what is recorded stays\n";

// Signal handlers can reach nothing but these; other threads read them too.
std::atomic<bool> is_listening = false;
std::atomic<bool> is_stopping = false;
std::atomic<int> code_of_forced_stop = 0;
std::atomic<bool> has_recorded = false;
std::atomic<bool> has_waited = false;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void request_stop(int) {
    if (!is_stopping.exchange(true)) alarm(grace_seconds);
    leave_stopped();
}

/// Where nothing was recorded another rank, which knows better, has a second to leave first.
void leave_at_once(int) {
    leave_excused();
    if (!has_recorded && !has_waited.exchange(true)) {
        alarm(seconds_for_other_ranks);
        return;
    }
    if (write(STDERR_FILENO, left_at_once, sizeof left_at_once - 1) < 0) errno = 0;
    _exit(has_recorded ? code_of_forced_stop.load() : nothing_recorded);
}

/// SIGALRM after `seconds`; with none, not at all.
void set_alarm(double seconds) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(seconds);
    timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
    setitimer(ITIMER_REAL, &timer, nullptr);
}

/// A signal that asks to stop in between has its own alarm all the same.
void set_alarm_unless_stopped(double seconds) {
    set_alarm(seconds);
    if (is_stopping) set_alarm(grace_seconds);
}

void change_mask(int how, std::span<const int> signals) {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : signals) sigaddset(&set, signal);
    pthread_sigmask(how, &set, nullptr);
}

/// As `nohup` has SIGHUP.
bool is_ignored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void hold_stop_signals() { change_mask(SIG_BLOCK, std::array{SIGUSR1, SIGTERM}); }

void listen_for_stop_signals(int forced_code) {
    code_of_forced_stop = forced_code;
    struct sigaction action {};
    action.sa_handler = request_stop;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGUSR1, SIGTERM, SIGINT}) sigaction(signal, &action, nullptr);
    if (!is_ignored(SIGHUP)) sigaction(SIGHUP, &action, nullptr);
    action.sa_handler = leave_at_once;
    sigaction(SIGALRM, &action, nullptr);
    is_listening = true;
    change_mask(SIG_UNBLOCK, std::array{SIGUSR1, SIGTERM, SIGINT, SIGHUP, SIGALRM});
}

void note_recorded() { has_recorded = true; }

void leave_stuck(double seconds, std::string_view stage) {
    SignalText where;
    where << seconds << " s" << (stage.empty() ? "" : " in ") << stage;
    if (leave_timed_out(where.view())) has_recorded = true;
    _exit(has_recorded && code_of_forced_stop != 0 ? code_of_forced_stop.load() : nothing_recorded);
}

StopRequest::StopRequest(std::optional<std::chrono::duration<double>> limit) {
    if (!limit) return;
    const auto within = std::min(*limit, longest_limit);
    deadline_ = std::chrono::steady_clock::now() +
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(within);
    if (is_listening && !is_stopping)
        set_alarm_unless_stopped(std::max(within.count(), 0.0) + grace_seconds);
}

StopRequest::~StopRequest() {
    if (deadline_ && is_listening && !pending()) set_alarm_unless_stopped(0);
}

void StopRequest::all_is_done() const {
    if (is_listening) set_alarm(0);
}

bool StopRequest::pending() const {
    return is_stopping || (deadline_ && std::chrono::steady_clock::now() >= *deadline_);
}

void StopRequest::check(comm::Communicator& comm) const {
    stop_together(comm, [&] {
        if (pending()) throw core::Interrupted(stopped_text);
    });
}

void stop_together(comm::Communicator& comm, const std::function<void()>& work) {
    bool interrupted = false;
    try {
        work();
    } catch (const core::Interrupted&) {
        interrupted = true;
    }
    if (comm::on_any_rank(comm, interrupted)) throw core::Interrupted(stopped_text);
}

}  // namespace ventral::pipeline

#include "pipeline/hang_watch.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <numeric>
#include <span>
#include <utility>

namespace ventral::pipeline {
namespace {

constexpr double longest_step_seconds = 1;
constexpr double steps_in_limit = 10;
/// A rank that waits for the one that is stuck lets that one speak first.
constexpr double more_seconds_for_waiting = 3;

/// Signals are for the threads that were there before.
std::thread start_without_signals(const std::function<void()>& work) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread(work);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

std::span<std::uint64_t> as_counts(comm::SharedMemory& memory) {
    const auto bytes = memory.bytes();
    return {reinterpret_cast<std::uint64_t*>(bytes.data()), bytes.size() / sizeof(std::uint64_t)};
}

}  // namespace

double Stillness::look(std::uint64_t number, double seconds) {
    seconds_ = number == number_ ? seconds_ + seconds : 0;
    number_ = number;
    return seconds_;
}

HangWatch::HangWatch(HangLimits limits, comm::Communicator& team, const core::Workers& workers,
                     const StageClock& clock)
    : limits_(std::move(limits)),
      workers_(workers),
      clock_(clock),
      rank_(team.rank()),
      steps_of_ranks_(team.share(static_cast<std::size_t>(team.size()) * sizeof(std::uint64_t))) {
    if (limits_.seconds > 0) thread_ = start_without_signals([this] { watch(); });
}

HangWatch::~HangWatch() {
    {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
    }
    ended_.notify_all();
    if (thread_.joinable()) thread_.join();
}

std::uint64_t HangWatch::exchange_steps() {
    const auto counts = as_counts(*steps_of_ranks_);
    std::atomic_ref<std::uint64_t>(counts[static_cast<std::size_t>(rank_)])
        .store(steps_ + workers_.finished());
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                           [](std::uint64_t sum, std::uint64_t& count) {
                               return sum + std::atomic_ref<std::uint64_t>(count).load();
                           });
}

void HangWatch::watch() {
    const double step = std::min(longest_step_seconds, limits_.seconds / steps_in_limit);
    Stillness stillness;
    std::unique_lock lock(mutex_);
    while (
        !ended_.wait_for(lock, std::chrono::duration<double>(step), [&] { return has_ended_; })) {
        const double seconds = stillness.look(exchange_steps(), step);
        if (!is_in_work_) stillness.forget();
        if (!is_in_work_ || limits_.is_leaving()) continue;
        const auto stage = clock_.going_on();
        const double more = stage == name_of(Stage::wait) ? more_seconds_for_waiting : 0;
        if (seconds >= limits_.seconds + more) limits_.end(seconds, stage);
    }
}

}  // namespace ventral::pipeline

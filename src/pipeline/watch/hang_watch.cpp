#include "pipeline/watch/hang_watch.hpp"

#include <chrono>
#include <csignal>
#include <numeric>
#include <utility>

namespace ventral::pipeline {
namespace {

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

}  // namespace

double default_unit_timeout(std::size_t rows, std::size_t trials) {
    constexpr double half_an_hour = 1800;
    constexpr double day = 86400;
    constexpr double seconds_a_cube = 10 / 1e9;
    const auto n = static_cast<double>(rows);
    return rows == 0 ? day
                     : half_an_hour * static_cast<double>(trials) + seconds_a_cube * n * n * n;
}

double Stillness::look(std::uint64_t number, double seconds) {
    seconds_ = number == number_ ? seconds_ + seconds : 0;
    number_ = number;
    return seconds_;
}

HangWatch::HangWatch(HangRules rules, comm::Communicator& team, const core::Workers& workers,
                     const StageClock& clock)
    : rules_(std::move(rules)),
      workers_(workers),
      clock_(clock),
      rank_(team.rank()),
      steps_of_ranks_(team.share(static_cast<std::size_t>(team.size()) * sizeof(std::uint64_t))) {
    thread_ = start_without_signals([this] { watch(); });
}

HangWatch::~HangWatch() {
    {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
    }
    ended_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void HangWatch::excuse(double seconds) {
    excused_until_ = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<double>(seconds));
}

std::uint64_t HangWatch::exchange_steps() {
    const auto counts = steps_of_ranks_->as<std::uint64_t>();
    std::atomic_ref<std::uint64_t>(counts[static_cast<std::size_t>(rank_)])
        .store(steps_ + workers_.finished());
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                           [](std::uint64_t sum, std::uint64_t& count) {
                               return sum + std::atomic_ref<std::uint64_t>(count).load();
                           });
}

void HangWatch::watch() {
    const auto step = std::chrono::duration<double>(rules_.step_seconds);
    Stillness stillness;
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, step, [&] { return has_ended_; })) {
        if (std::chrono::steady_clock::now() < excused_until_.load()) got_on();
        const double seconds = stillness.look(exchange_steps(), step.count());
        const double limit = limit_;
        if (limit == 0) stillness.forget();
        if (limit == 0 || rules_.is_leaving()) continue;
        const auto stage = clock_.going_on();
        const double more = stage == name_of(Stage::wait) ? more_seconds_for_waiting : 0;
        if (seconds >= limit + more) rules_.end(seconds, stage);
    }
}

}  // namespace ventral::pipeline

#pragma once
/// @file
/// Notices that a unit of work, or a ceiling, is stuck: that for a bounded time no rank of its team
/// has come to the end of anything (a batch, a slab, a fold, a checkpoint). A network that loops
/// for ever cannot be called back, so all that is left then is to end the process.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "comm/communicator.hpp"
#include "core/workers.hpp"
#include "pipeline/watch/stage_clock.hpp"

namespace ventral::pipeline {

/// How long a number has stayed the same, by the steps of whoever looks at it: time in which the
/// process was suspended does not count.
class Stillness {
public:
    /// The number as it is `seconds` after the last look; returns for how long it has not changed.
    double look(std::uint64_t number, double seconds);
    void forget() { seconds_ = 0; }

private:
    std::uint64_t number_ = 0;
    double seconds_ = 0;
};

/// For how many seconds a unit may stand still where nobody has said: half an hour for each of the
/// trials that a batch is shown in, and ten times n³ operations at 1 GFLOP/s, which no
/// factorisation of a Gram of n rows (stimuli, in each time bin) comes near. A day where their
/// number is unknown (0): it runs no network.
double default_unit_timeout(std::size_t rows, std::size_t trials = 1);

struct HangRules {
    double step_seconds = 1;           ///< between two looks
    std::function<bool()> is_leaving;  ///< the process ends anyway, so that nobody is to be blamed
    /// Ends the process; is told how long nothing has moved, and in which stage ("" in none).
    /// Whoever is stuck may hold the lock of the heap: neither should allocate.
    std::function<void(double seconds, std::string_view stage)> end;
};

/// A thread of its own on each rank. Between `begin` and `end` a unit or a ceiling is in work.
class HangWatch {
public:
    /// All but `rules` must outlive it. Collective over the team, as is its end.
    HangWatch(HangRules rules, comm::Communicator& team, const core::Workers& workers,
              const StageClock& clock);
    ~HangWatch();
    HangWatch(const HangWatch&) = delete;
    HangWatch& operator=(const HangWatch&) = delete;

    /// `limit`: seconds without progress; 0: it may take for ever.
    void begin(double limit) { limit_ = limit; }
    void end() { limit_ = 0; }

    /// Any thread may say so. Tasks that the workers end count by themselves.
    void got_on() { ++steps_; }

    /// For so long this rank does what has its own limit of time: that counts as progress.
    void excuse(double seconds);

    /// Tells the team of this rank's steps; returns the sum of what all have told. For the thread.
    std::uint64_t exchange_steps();

private:
    void watch();

    HangRules rules_;
    const core::Workers& workers_;
    const StageClock& clock_;
    int rank_;
    std::unique_ptr<comm::SharedMemory> steps_of_ranks_;
    std::atomic<std::uint64_t> steps_ = 0;
    std::atomic<std::chrono::steady_clock::time_point> excused_until_{};
    std::atomic<double> limit_ = 0;  ///< 0: nothing is in work, or for ever
    std::mutex mutex_;
    std::condition_variable ended_;
    bool has_ended_ = false;
    std::thread thread_;
};

/// Work that is in the care of `watch`, which may be none, as long as this lives.
class UnderWatch {
public:
    UnderWatch(HangWatch* watch, double limit) : watch_(watch) {
        if (watch_) watch_->begin(limit);
    }
    ~UnderWatch() {
        if (watch_) watch_->end();
    }
    UnderWatch(const UnderWatch&) = delete;
    UnderWatch& operator=(const UnderWatch&) = delete;

private:
    HangWatch* watch_;
};

}  // namespace ventral::pipeline

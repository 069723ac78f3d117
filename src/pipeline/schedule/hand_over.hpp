#pragma once
/// @file
/// Work on all workers of a rank, results to the calling thread: no other may call MPI.

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/workers.hpp"

namespace ventral::pipeline {

template <typename Result>
struct HandedOver {
    std::function<Result(std::size_t)> compute;  ///< on any worker
    std::function<void(Result)> take;            ///< on the calling thread
    /// What to compute next, nothing if that was all; on any worker, but one at a time.
    std::function<std::optional<std::size_t>()> next;
};

/// One call of `compute_and_take`, seen by all its workers.
template <typename Result>
class HandOver {
public:
    HandOver(std::size_t capacity, const HandedOver<Result>& work)
        : capacity_(capacity), work_(work) {}

    /// What each worker does. The first exception ends the work of all.
    void work() {
        try {
            std::this_thread::get_id() == caller_ ? compute_and_take() : compute_and_put();
        } catch (...) {
            abandon();
            throw;
        }
    }

private:
    void compute_and_put() {
        while (const auto item = next()) put(work_.compute(*item));
    }

    void compute_and_take() {
        while (const auto item = next()) {
            take(work_.compute(*item));
            while (auto result = one_waiting()) take(std::move(*result));
        }
        while (auto result = next_waiting()) take(std::move(*result));
    }

    std::optional<std::size_t> next() {
        const std::lock_guard lock(mutex_);
        if (abandoned_ || is_all_) return std::nullopt;
        const auto item = work_.next();
        is_all_ = !item;
        if (item) ++begun_;
        return item;
    }

    void put(Result result) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return abandoned_ || waiting_.size() < capacity_; });
        waiting_.push_back(std::move(result));
        changed_.notify_all();
    }

    /// A result of another worker, if there is one.
    std::optional<Result> one_waiting() {
        std::unique_lock lock(mutex_);
        return take_waiting(lock);
    }

    /// The next result of another worker; nothing once all that was begun has been taken.
    std::optional<Result> next_waiting() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return abandoned_ || !waiting_.empty() || taken_ == begun_; });
        return take_waiting(lock);
    }

    std::optional<Result> take_waiting(const std::unique_lock<std::mutex>&) {
        if (abandoned_ || waiting_.empty()) return std::nullopt;
        auto result = std::move(waiting_.back());
        waiting_.pop_back();
        changed_.notify_all();
        return result;
    }

    void take(Result result) {
        work_.take(std::move(result));
        const std::lock_guard lock(mutex_);
        ++taken_;
    }

    void abandon() {
        const std::lock_guard lock(mutex_);
        abandoned_ = true;
        changed_.notify_all();
    }

    const std::thread::id caller_ = std::this_thread::get_id();
    const std::size_t capacity_;
    const HandedOver<Result>& work_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Result> waiting_;
    std::size_t begun_ = 0;
    std::size_t taken_ = 0;
    bool is_all_ = false;  ///< nothing more will be begun
    bool abandoned_ = false;
};

/// Computes what `next` gives on all workers and takes the results in whatever order they are
/// ready. Beside those in work at most one result per worker exists. An exception of any of the
/// three ends the work and is thrown here.
template <typename Result>
void compute_and_take(core::Workers& workers, const HandedOver<Result>& work) {
    HandOver<Result> shared(std::max<std::size_t>(1, workers.threads() - 1), work);
    workers.parallel_for(workers.threads(), [&](std::size_t) { shared.work(); });
}

}  // namespace ventral::pipeline

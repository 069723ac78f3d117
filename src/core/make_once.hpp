#pragma once
/// @file
/// A value that several tasks need and the first of them makes.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

#include "core/workers.hpp"

namespace ventral::core {

/// Who makes something, and who waits for it: `MakeOnce` without the value.
class OnceGate {
public:
    /// Runs `make` unless a call of it has returned before. May be called by several threads at
    /// once, tasks of any workers included: one runs `make`, and the others wait, those of
    /// `workers` by helping. `workers` are those that `make` uses, null for none; the tasks that it
    /// gives them must not wait at a gate. If `make` throws, so does the call that ran it, and the
    /// next one runs it anew.
    void pass(const std::function<void()>& make, Workers* workers);

private:
    enum class Stage { unmade, in_work, made };

    Stage current();
    bool take_on();
    void enter(Stage next);
    void make_now(const std::function<void()>& make);
    void wait(Workers* workers);

    std::mutex mutex_;
    std::condition_variable changed_;  ///< for those who cannot help
    Stage stage_ = Stage::unmade;
};

/// Made when it is first asked for and then kept.
template <typename T>
class MakeOnce {
public:
    /// What `make` returned, to the first caller to whom it did; as `OnceGate::pass` otherwise.
    const T& get(const std::function<T()>& make, Workers* workers) {
        gate_.pass([&] { value_.emplace(make()); }, workers);
        return *value_;
    }

private:
    OnceGate gate_;
    std::optional<T> value_;
};

}  // namespace ventral::core

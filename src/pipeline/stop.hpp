#pragma once
/// @file
/// Requests to stop: signals and the time limit. Work ends at its next safe point, and a run that
/// is started again goes on from there.

#include <chrono>
#include <optional>

#include "comm/communicator.hpp"

namespace ventral::pipeline {

/// Keeps SIGUSR1 waiting, which else ends a process, until `listen_for_stop_signals`. What waits
/// stays through `exec`.
void hold_stop_signal();

/// SIGUSR1, SIGTERM and SIGINT become requests to stop; ten seconds after the first the process
/// leaves at once with `forced_code`: of a run 75, since what counts is in the journal already, and
/// it can go on from there. Calling it again changes no more than that code.
void listen_for_stop_signals(int forced_code);

/// Whether this process was asked to stop by a signal, or `deadline` has passed.
class StopRequest {
public:
    explicit StopRequest(std::optional<std::chrono::duration<double>> limit);

    bool pending() const;

    /// Throws `core::Interrupted` on all ranks if any rank has a request pending. Collective.
    void check(comm::Communicator& comm) const;

private:
    std::optional<std::chrono::steady_clock::time_point> deadline_;
};

}  // namespace ventral::pipeline

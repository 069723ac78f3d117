#pragma once
/// @file
/// Requests to stop: signals and the time limit. Work ends at its next safe point, and a run that
/// is started again goes on from there.

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>

#include "comm/communicator.hpp"

namespace ventral::pipeline {

/// Keeps SIGUSR1 and SIGTERM waiting, by which batch systems ask for a stop and which else end a
/// process, until `listen_for_stop_signals`. What waits stays through `exec`. A start that hangs
/// ends by SIGINT or SIGKILL.
void hold_stop_signals();

/// SIGUSR1, SIGTERM, SIGINT and, where nobody has it ignored, SIGHUP become requests to stop; if
/// there was no safe point until six seconds after the first (the launcher takes more, and ten are
/// promised) the process leaves at once. None of this, nor SIGALRM, by which it is done, stays
/// blocked if it was at the start. With `forced_code`, of a run 75, if something was recorded: it
/// is on disk already, and the next run goes on from there. Else with 1, a second later, so that
/// another rank's code comes first. Calling it again changes no more than that code.
void listen_for_stop_signals(int forced_code);

/// Says that the next run will find something that was not there when this one began.
void note_recorded();

/// Ends the process, whose unit has made no progress for so long, in that stage: leaves that in the
/// trace, from which the next start knows what to do, so that the code is the one of a stop.
/// Allocates nothing, as `leave_timed_out`.
[[noreturn]] void leave_stuck(double seconds, std::string_view stage);

/// Whether this process was asked to stop by a signal, or `limit` has passed.
class StopRequest {
public:
    /// A process that listens for signals leaves as after one, if `limit` passes without a safe
    /// point.
    explicit StopRequest(std::optional<std::chrono::duration<double>> limit);
    ~StopRequest();
    StopRequest(const StopRequest&) = delete;
    StopRequest& operator=(const StopRequest&) = delete;

    bool pending() const;

    /// No safe point is missing any more: the process may take its time to write its tables.
    void all_is_done() const;

    /// Throws `core::Interrupted` on all ranks if any rank has a request pending. Collective.
    void check(comm::Communicator& comm) const;

private:
    std::optional<std::chrono::steady_clock::time_point> deadline_;
};

/// Runs `work`; if it was interrupted on any rank, all ranks throw `core::Interrupted`. Collective.
void stop_together(comm::Communicator& comm, const std::function<void()>& work);

}  // namespace ventral::pipeline

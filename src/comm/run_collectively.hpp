#pragma once
/// @file
/// Steps that all ranks share, so that none waits for one that has failed.

#include <functional>
#include <string>

#include "comm/communicator.hpp"
#include "core/errors.hpp"

namespace ventral::comm {

/// A step that all ranks share failed on at least one of them.
class CollectiveError : public core::KnownFailure {
public:
    /// What it tells begins with the rank; `failure()` is the same for any number of ranks.
    CollectiveError(int rank, const std::string& reason,
                    core::FailureClass failure_class = core::FailureClass::deterministic);

    /// Of the group that shared the step.
    int rank() const { return rank_; }

private:
    int rank_;
    core::Agreed agreed_;
};

/// Runs `step`, then lets the ranks agree: if it threw on any rank, all ranks throw
/// `CollectiveError` with the lowest such rank and its message (on a group of one rank the
/// exception itself), and none is left waiting. Collective; `step` itself must not be.
void run_collectively(Communicator& comm, const std::function<void()>& step);

}  // namespace ventral::comm

#pragma once
/// @file
/// Work of one of several teams of ranks.

#include <functional>

#include "comm/communicator.hpp"

namespace ventral::comm {

/// Calls `work`, which is collective over `team`, a part of `world`. An error that it ends with is
/// known to the ranks of the team, and to no others: these would wait for them in what is
/// collective over the world. So it ends the job, with the reason, which the rank tells that it
/// comes from; where the team is the world it is thrown. A request to stop (`core::Interrupted`) is
/// always thrown.
void within_team(const Communicator& team, const Communicator& world,
                 const std::function<void()>& work);

}  // namespace ventral::comm

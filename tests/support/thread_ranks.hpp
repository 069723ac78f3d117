#pragma once
/// @file
/// Threads of one process that play the ranks of a run on one node.

#include <functional>

#include "comm/communicator.hpp"

namespace ventral::test {

/// Runs `body` on `size` threads, each with its `Communicator`; throws what the first failing one
/// threw. A rank that waits for another that has left gets an exception instead of waiting for
/// ever.
void run_on_threads(int size, const std::function<void(comm::Communicator&)>& body);

}  // namespace ventral::test

#pragma once
/// @file
/// Runs the body of a test on ranks: threads of this process, or MPI ranks under mpiexec.

#include <functional>

#include "comm/communicator.hpp"

namespace ventral::test {

using RankBody = std::function<void(comm::Communicator&)>;

/// Under mpiexec: runs `body` once, on the MPI world; if it throws, the whole job ends. Otherwise:
/// once on the serial communicator and then on 2 and on 3 threads that play ranks. The threads take
/// turns in a fixed order (one runs, until it waits for others or ends), so assertions in `body`
/// are safe and failures are repeatable.
void on_ranks(const RankBody& body);

}  // namespace ventral::test

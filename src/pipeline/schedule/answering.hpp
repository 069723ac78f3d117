#pragma once
/// @file
/// How rank 0 hands out numbers while it computes.

#include "comm/communicator.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

/// As long as this lives the main thread of rank 0 looks between its tasks and while it tries a
/// network itself, but for no more than a thousand times a second, whether ranks of other nodes ask
/// `counter`, one of the world. They wait while it reads a file or meets its team, as where another
/// rank tries a network. Elsewhere and on one node nothing is to do.
class Answering {
public:
    /// All must outlive it.
    Answering(comm::Counter& counter, const comm::Communicator& world, TeamContext& context);
    ~Answering();
    Answering(const Answering&) = delete;
    Answering& operator=(const Answering&) = delete;

private:
    core::Workers& workers_;
};

}  // namespace ventral::pipeline

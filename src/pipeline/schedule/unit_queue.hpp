#pragma once
/// @file
/// Which team takes which unit of a run.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "comm/communicator.hpp"
#include "pipeline/schedule/answering.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

/// Hands out 0 … count-1 in turn to whichever team asks. A team may ask one ahead: late, when some
/// of its ranks have nothing left to do, so that nothing waits with a busy team that an idle one
/// could begin. Making and destroying it are collective over the world.
class UnitQueue {
public:
    /// The team of the context must be on one node.
    UnitQueue(std::size_t count, comm::Communicator& world, TeamContext& context);

    /// What this team is to do next, nothing if all has been handed out. Collective over the team.
    std::optional<std::size_t> next();

    /// What `next` will give. Any rank of the team may ask, between two calls of `next`.
    std::optional<std::size_t> ahead();

private:
    /// 0: nobody has asked ahead; 1: a rank is asking; else the answer and `first_answer`.
    static constexpr std::uint64_t nobody = 0, asking = 1, first_answer = 2;

    std::uint64_t& answer() const;
    std::optional<std::size_t> if_there(std::uint64_t item) const;

    std::size_t count_;
    TeamContext& context_;
    std::unique_ptr<comm::SharedMemory> memory_;  ///< of the answer
    std::unique_ptr<comm::Counter> counter_;
    Answering answering_;
};

}  // namespace ventral::pipeline

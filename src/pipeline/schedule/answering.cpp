#include "pipeline/schedule/answering.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>

#include "comm/mpi_session.hpp"
#include "core/log.hpp"

namespace ventral::pipeline {
namespace {

/// A task cannot pass the failure of something else on.
void answer_or_end_job(comm::Counter& counter) {
    try {
        counter.answer();
    } catch (const std::exception& error) {
        core::log_error(error.what());
        comm::abort_job(EXIT_FAILURE);
    }
}

}  // namespace

Answering::Answering(comm::Counter& counter, const comm::Communicator& world, TeamContext& context)
    : workers_(context.workers) {
    if (world.rank() != 0 || world.size() == context.team.size()) return;
    using Clock = std::chrono::steady_clock;
    workers_.set_interlude([&counter, last = Clock::time_point()]() mutable {
        const auto now = Clock::now();
        if (now - last < std::chrono::milliseconds(1)) return;
        last = now;
        answer_or_end_job(counter);
    });
}

Answering::~Answering() { workers_.set_interlude({}); }

}  // namespace ventral::pipeline

#include "comm/within_team.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <thread>

#include "comm/mpi_session.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"

namespace ventral::comm {
namespace {

/// The first rank tells why; the others leave it the time to do so.
[[noreturn]] void end_job(const Communicator& team, const std::exception& error) {
    constexpr std::chrono::seconds to_tell(5);
    if (team.rank() == 0)
        core::log_error(error.what());
    else
        std::this_thread::sleep_for(to_tell);
    abort_job(EXIT_FAILURE);
}

}  // namespace

void within_team(const Communicator& team, const Communicator& world,
                 const std::function<void()>& work) {
    try {
        work();
    } catch (const core::Interrupted&) {
        throw;
    } catch (const std::exception& error) {
        if (team.size() == world.size()) throw;
        end_job(team, error);
    }
}

}  // namespace ventral::comm

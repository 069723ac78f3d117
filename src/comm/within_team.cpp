#include "comm/within_team.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <thread>

#include "comm/mpi_session.hpp"
#include "comm/run_collectively.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"

namespace ventral::comm {
namespace {

[[noreturn]] void end_job(const std::string& reason) {
    core::log_error(reason);
    abort_job(EXIT_FAILURE);
}

/// All ranks of the team have it: the one that it comes from tells, and is left the time to do so.
[[noreturn]] void end_job_together(const Communicator& team, const CollectiveError& error) {
    constexpr std::chrono::seconds to_tell(5);
    if (team.rank() != error.rank()) std::this_thread::sleep_for(to_tell);
    end_job(error.failure().reason);
}

}  // namespace

void within_team(const Communicator& team, const Communicator& world,
                 const std::function<void()>& work) {
    if (team.size() == world.size()) return work();
    try {
        work();
    } catch (const core::Interrupted&) {
        throw;
    } catch (const CollectiveError& error) {
        end_job_together(team, error);
    } catch (const std::bad_alloc&) {
        end_job("out of memory");
    } catch (const std::exception& error) {
        end_job(error.what());
    }
}

}  // namespace ventral::comm

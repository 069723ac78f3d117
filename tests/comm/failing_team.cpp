// Four ranks in two teams: what one team fails with ends the job of the other, which waits for it.
#include <stdexcept>
#include <string>

#include "comm/communicator.hpp"
#include "comm/mpi_session.hpp"
#include "comm/run_collectively.hpp"
#include "comm/within_team.hpp"
#include "core/log.hpp"

using namespace ventral;

int main() {
    const comm::MpiSession session;
    const auto world = comm::make_mpi_world();
    const auto team = world->split(world->rank() / 2);
    core::configure_log({core::LogLevel::info, "of rank " + std::to_string(world->rank()) + ": "});
    comm::within_team(*team, *world, [&] {
        comm::run_collectively(*team, [&] {
            if (world->rank() == 3) throw std::runtime_error("its disk is gone");
        });
    });
    world->barrier();
    return 0;
}

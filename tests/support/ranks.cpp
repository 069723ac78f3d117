#include "support/ranks.hpp"

#include <iostream>
#include <sstream>

#include "comm/mpi_session.hpp"
#include "support/thread_ranks.hpp"

namespace ventral::test {
namespace {

/// The other ranks may be waiting for this one and could never be told: so all end, but not before
/// what the reporter holds back has been shown.
[[noreturn]] void abort_with_report(int rank) {
    std::cout.flush();
    if (const auto* held_back = dynamic_cast<std::stringbuf*>(std::cout.rdbuf()))
        std::cerr << "on rank " << rank << ":\n" << held_back->str() << std::flush;
    comm::abort_job(1);
}

void run_on_mpi(const RankBody& body) {
    const auto world = comm::make_mpi_world();
    try {
        body(*world);
    } catch (const std::exception& error) {
        std::cerr << "rank " << world->rank() << ": " << error.what() << "\n";
        abort_with_report(world->rank());
    } catch (...) {
        abort_with_report(world->rank());
    }
}

}  // namespace

void on_ranks(const RankBody& body) {
    if (comm::under_mpiexec()) return run_on_mpi(body);
    body(*comm::make_serial());
    for (const int size : {2, 3}) run_on_threads(size, body);
}

}  // namespace ventral::test

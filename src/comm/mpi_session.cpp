#include "comm/mpi_session.hpp"

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "comm/mpi_check.hpp"
#include "comm/mpi_handle.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"

namespace ventral::comm {

bool has_other_ranks() {
    int started = 0;
    int ranks = 1;
    MPI_Initialized(&started);
    if (started) MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks > 1;
}

MpiSession::MpiSession() {
    // A rank that waits leaves its core to the workers that it waits for, its own or another's.
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    int provided = MPI_THREAD_SINGLE;
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    if (provided < MPI_THREAD_FUNNELED) {
        MPI_Finalize();
        throw std::runtime_error(
            "MPI: no support for threads (MPI_THREAD_FUNNELED is needed) use an MPI that was built "
            "with threads");
    }
}

MpiSession::~MpiSession() { MPI_Finalize(); }

std::string mpi_library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string whole(text, static_cast<std::size_t>(length));
    return whole.substr(0, whole.find(','));
}

void abort_job(int code) {
    int started = 0;
    int ended = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (started && !ended) MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
}

void abort_if_alone() {
    if (std::uncaught_exceptions() == 0 || core::Agreed::in_flight() || !has_other_ranks()) return;
    core::log_error(
        "an error that this rank alone has met (out of memory, if nothing else is said) ends the "
        "job: the other ranks would wait for it");
    abort_job(EXIT_FAILURE);
}

}  // namespace ventral::comm

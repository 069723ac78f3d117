#include "comm/mpi_session.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "comm/mpi_check.hpp"
#include "comm/mpi_handle.hpp"

namespace ventral::comm {

void check(int code) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw std::runtime_error("MPI: " + std::string(text, static_cast<std::size_t>(length)));
}

MpiSession::MpiSession() {
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    if (provided < MPI_THREAD_FUNNELED) {
        MPI_Finalize();
        throw std::runtime_error(
            "MPI: no support for threads (MPI_THREAD_FUNNELED is needed) use an MPI that was built "
            "with threads");
    }
}

MpiSession::~MpiSession() { MPI_Finalize(); }

void abort_job(int code) {
    int started = 0;
    int ended = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (started && !ended) MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
}

}  // namespace ventral::comm

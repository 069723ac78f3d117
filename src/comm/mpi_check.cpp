#include "comm/mpi_check.hpp"

#include <stdexcept>
#include <string>

#include "comm/mpi_handle.hpp"
#include "comm/mpi_session.hpp"
#include "core/log.hpp"

namespace ventral::comm {

void check_mpi(int code) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    const auto reason = "MPI: " + std::string(text, static_cast<std::size_t>(length));
    // Where others wait for this rank, unwinding ends the job before anyone reads the exception.
    if (has_other_ranks()) core::log_error(reason);
    throw std::runtime_error(reason);
}

}  // namespace ventral::comm

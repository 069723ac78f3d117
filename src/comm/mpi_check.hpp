#pragma once
/// @file
/// MPI's error codes as exceptions.

namespace ventral::comm {

/// Throws `std::runtime_error` with MPI's own words unless `code` is MPI_SUCCESS. With several
/// ranks it logs them too: an exception of one rank ends the job on its way up (`abort_if_alone`).
void check_mpi(int code);

}  // namespace ventral::comm

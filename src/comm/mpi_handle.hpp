#pragma once
/// @file
/// The MPI communicator under a group, for libraries that want one (the parallel file of `io`), and
/// the one header that includes <mpi.h>.

#include <mpi.h>

#include "comm/communicator.hpp"

namespace ventral::comm {

/// Stays the group's own: valid while it lives, not to be freed. MPI_COMM_NULL for a group without
/// MPI.
MPI_Comm mpi_handle(const Communicator& comm);

}  // namespace ventral::comm

#pragma once
/// @file
/// Memory and counters that the ranks of one node reach without each other's help.

#include <cstddef>
#include <memory>

#include "comm/mpi_handle.hpp"

namespace ventral::comm {

/// `Communicator::share` and `Communicator::make_counter` on `comm`, whose errors must be returned
/// and whose ranks are on one node. Collective. Sharing throws on all ranks, with the cure, if the
/// memory is not there.
std::unique_ptr<SharedMemory> share_mpi_memory(MPI_Comm comm, std::size_t size);
std::unique_ptr<Counter> make_mpi_counter(MPI_Comm comm);

}  // namespace ventral::comm

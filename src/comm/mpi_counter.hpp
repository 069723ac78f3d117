#pragma once
/// @file
/// A counter that the ranks of one node advance without each other's help.

#include <memory>

#include "comm/communicator.hpp"
#include "comm/mpi_handle.hpp"

namespace ventral::comm {

/// `Communicator::make_counter` on `comm`, which must return its errors and outlive the counter.
/// Collective, also the counter's end.
std::unique_ptr<Counter> make_mpi_counter(MPI_Comm comm);

}  // namespace ventral::comm

#pragma once
/// @file
/// Memory that the ranks of one node share.

#include <cstddef>
#include <memory>

#include "comm/communicator.hpp"
#include "comm/mpi_handle.hpp"

namespace ventral::comm {

class SpareMemory;

/// What a group shares. `comm` must return its errors and outlive this. All is collective, also the
/// end of it and of what it shares.
class MpiMemory {
public:
    explicit MpiMemory(MPI_Comm comm);

    /// `Communicator::share`, for ranks on one node. Throws on all ranks, with the cure, if the
    /// memory is not there.
    std::unique_ptr<SharedMemory> share(std::size_t size);
    void give_back_spare();

private:
    std::shared_ptr<SpareMemory> spare_;
};

}  // namespace ventral::comm

#pragma once
/// @file
/// The bound on what this process takes of memory, so that too much is an exception and the record
/// of a score, not the end of the job.

#include <string>

#include "comm/communicator.hpp"
#include "core/workers.hpp"
#include "pipeline/watch/memory_bound.hpp"

namespace ventral::jobs {

/// Limits the private memory of this rank (RLIMIT_DATA): what --memory, the cgroup or Slurm allow a
/// node, less what others in the cgroup have taken, divided by the ranks on the node; without a
/// limit all that the machine has. Says which it is and where it comes from. Of memory that ranks
/// share, their communicator counts each one's part. OpenBLAS is given its buffers first, since it
/// never comes back from a request for them that fails. Returns what the limit alone
/// gives a rank, the same at every start: by that a later run knows whether it has more.
/// Throws `core::InputError` that names the limit if the program alone needs more, on several ranks
/// `comm::CollectiveError`. Collective.
pipeline::MemoryBound limit_memory(const std::string& memory, core::Workers& workers,
                                   comm::Communicator& world);

}  // namespace ventral::jobs

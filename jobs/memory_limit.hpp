#pragma once
/// @file
/// The bound on what this process takes of memory, so that too much is an exception and the record
/// of a score, not the end of the job.

#include <string>

#include "comm/communicator.hpp"
#include "core/workers.hpp"

namespace ventral::jobs {

/// Limits the private memory of this rank (RLIMIT_DATA): `memory`, what --memory says for a node,
/// divided by the ranks on the node; without it all that there is. Memory that ranks share is not
/// counted. OpenBLAS is given its buffers first, since it never comes back from a request for them
/// that fails. Returns the bound in bytes. Throws `core::InputError` that names the option if the
/// program alone needs more, on several ranks `comm::CollectiveError`. Collective.
double limit_memory(const std::string& memory, core::Workers& workers, comm::Communicator& world);

}  // namespace ventral::jobs

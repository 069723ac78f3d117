#pragma once
/// @file
/// What the bits of scores depend on besides their inputs.

#include <string>

#include "comm/communicator.hpp"

namespace ventral::pipeline {

/// Of numerics and networks in this process.
std::string own_fingerprint();

/// That of all ranks. Throws `comm::CollectiveError` if a rank's differs from rank 0's. Collective.
std::string agreed_fingerprint(comm::Communicator& world);

}  // namespace ventral::pipeline

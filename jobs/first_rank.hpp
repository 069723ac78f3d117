#pragma once
/// @file
/// Work that one rank does alone, with the processors of the others on its node.

#include <cstddef>
#include <functional>

#include "comm/communicator.hpp"

namespace ventral::jobs {

/// Calls `work`, on the first rank only, with the number of ranks on its node: it may run on the
/// processors of all of them, since they sleep meanwhile. Returns what `work` returns, on every
/// rank; what it throws is thrown on all as `comm::CollectiveError`. Collective.
int on_first_rank(comm::Communicator& world, const std::function<int(std::size_t ranks)>& work);

}  // namespace ventral::jobs

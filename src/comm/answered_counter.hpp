#pragma once
/// @file
/// A counter for ranks on several nodes, made of messages: memory that ranks of other nodes reach
/// by themselves is a matter of the network and of how MPI was built (Debian's has none over TCP).

#include <memory>

#include "comm/communicator.hpp"

namespace ventral::comm {

/// Rank 0 counts and answers. `group` is the counter's own: its messages meet no others.
/// Collective.
std::unique_ptr<Counter> make_answered_counter(std::unique_ptr<Communicator> group);

}  // namespace ventral::comm

#pragma once
/// @file
/// What the ranks of a group say to one question, taken together.

#include <array>
#include <cstdint>

#include "comm/communicator.hpp"

namespace ventral::comm {

/// The counts of all ranks added up. Collective.
inline std::int64_t total(Communicator& comm, std::int64_t own) {
    std::array counts{own};
    comm.sum(counts);
    return counts[0];
}

/// Whether it is true on any rank. Collective.
inline bool on_any_rank(Communicator& comm, bool here) { return total(comm, here ? 1 : 0) > 0; }

}  // namespace ventral::comm

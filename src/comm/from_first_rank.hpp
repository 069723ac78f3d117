#pragma once
/// @file
/// What the first rank of a group finds out and the others have to know.

#include <functional>
#include <string>

#include "comm/communicator.hpp"
#include "comm/records.hpp"
#include "comm/run_collectively.hpp"

namespace ventral::comm {

/// What `make` gives on the first rank; what it throws there is thrown on all. Collective.
template <typename T>
T from_first_rank(Communicator& comm, const std::function<T()>& make) {
    std::string packed;
    run_collectively(comm, [&] {
        if (comm.rank() == 0) packed = pack(make());
    });
    return unpack<T>(comm.broadcast(packed, 0));
}

}  // namespace ventral::comm

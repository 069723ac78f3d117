#pragma once
/// @file
/// What the first rank of a team finds out and the others have to know.

#include <functional>
#include <string>

#include "comm/communicator.hpp"
#include "comm/records.hpp"

namespace ventral::pipeline {

/// What `make` gives on the first rank; what it throws there is thrown on all. Collective.
template <typename T>
T from_first_rank(comm::Communicator& team, const std::function<T()>& make) {
    std::string packed;
    comm::run_collectively(team, [&] {
        if (team.rank() == 0) packed = comm::pack(make());
    });
    return comm::unpack<T>(team.broadcast(packed, 0));
}

}  // namespace ventral::pipeline

#include "pipeline/schedule/agreed_failure.hpp"

#include "comm/run_collectively.hpp"
#include "io/journal/journal.hpp"

namespace ventral::pipeline {

core::Failure agreed_failure(const std::exception& error, const comm::Communicator& team) {
    const bool is_agreed = team.size() == 1 || dynamic_cast<const comm::CollectiveError*>(&error);
    if (!is_agreed || dynamic_cast<const core::Interrupted*>(&error) ||
        dynamic_cast<const io::JournalError*>(&error))
        throw;
    return core::failure_of(error);
}

}  // namespace ventral::pipeline

#include "pipeline/journal/failure_of.hpp"

#include "comm/run_collectively.hpp"
#include "io/journal/journal.hpp"

namespace ventral::pipeline {

core::Failure failure_of(const std::exception& error) {
    if (const auto* collective = dynamic_cast<const comm::CollectiveError*>(&error))
        return {collective->failure_class(), collective->reason()};
    return {core::failure_class_of(error), error.what()};
}

core::Failure agreed_failure(const std::exception& error, const comm::Communicator& team) {
    const bool is_agreed = team.size() == 1 || dynamic_cast<const comm::CollectiveError*>(&error);
    if (!is_agreed || dynamic_cast<const core::Interrupted*>(&error) ||
        dynamic_cast<const io::JournalError*>(&error))
        throw;
    return failure_of(error);
}

}  // namespace ventral::pipeline

#include "comm/run_collectively.hpp"

namespace ventral::comm {

namespace {

/// A failed rank's word: the number of the failure class as one letter, then the reason.
std::string word_of(core::FailureClass failure_class, const std::string& reason) {
    return static_cast<char>('0' + static_cast<int>(failure_class)) + reason;
}

CollectiveError error_of(std::size_t rank, const std::string& word) {
    return {static_cast<int>(rank), word.substr(1), static_cast<core::FailureClass>(word[0] - '0')};
}

}  // namespace

CollectiveError::CollectiveError(int rank, const std::string& reason,
                                 core::FailureClass failure_class)
    : core::KnownFailure({failure_class, reason}, "rank " + std::to_string(rank) + ": " + reason),
      rank_(rank) {}

void run_collectively(Communicator& comm, const std::function<void()>& step) {
    if (comm.size() == 1) return step();
    std::string outcome;  // success is no word at all
    try {
        step();
    } catch (const std::exception& error) {
        const auto failure = core::failure_of(error);
        outcome = word_of(failure.failure_class, failure.reason);
    } catch (...) {
        outcome = word_of(core::FailureClass::deterministic, "unknown error");
    }
    const auto outcomes = comm.all_gather(outcome);
    for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
        if (!outcomes[rank].empty()) throw error_of(rank, outcomes[rank]);
    }
}

}  // namespace ventral::comm

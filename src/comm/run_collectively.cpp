#include "comm/communicator.hpp"

namespace ventral::comm {

CollectiveError::CollectiveError(int rank, const std::string& message)
    : std::runtime_error("rank " + std::to_string(rank) + ": " + message) {}

void run_collectively(Communicator& comm, const std::function<void()>& step) {
    if (comm.size() == 1) return step();
    constexpr char failed = '!';  // begins a failed rank's word; success is no word at all
    std::string outcome;
    try {
        step();
    } catch (const std::exception& error) {
        outcome = failed + std::string(error.what());
    } catch (...) {
        outcome = failed + std::string("unknown error");
    }
    const auto outcomes = comm.all_gather(outcome);
    for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
        if (!outcomes[rank].empty())
            throw CollectiveError(static_cast<int>(rank), outcomes[rank].substr(1));
    }
}

}  // namespace ventral::comm

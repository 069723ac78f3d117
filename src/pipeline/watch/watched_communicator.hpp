#pragma once
/// @file
/// A group of ranks whose calls count as waiting.

#include "comm/communicator.hpp"
#include "pipeline/watch/stage_clock.hpp"

namespace ventral::pipeline {

/// Passes every call on to the group that it watches; groups made of it are not watched.
class WatchedCommunicator : public comm::Communicator {
public:
    /// Both must outlive it.
    WatchedCommunicator(comm::Communicator& group, StageClock& clock)
        : group_(group), clock_(clock) {}

    int rank() const override { return group_.rank(); }
    int size() const override { return group_.size(); }
    void barrier() override;
    void sum(std::span<std::int64_t> counts) override;
    void bit_or(std::span<std::uint64_t> words) override;
    std::vector<std::string> all_gather(const std::string& message) override;
    std::string broadcast(const std::string& message, int root) override;
    void send(int to, int tag, std::string bytes) override;
    std::optional<comm::Message> try_receive(int tag) override;
    std::unique_ptr<comm::Communicator> split_by_node() override;
    std::unique_ptr<comm::Communicator> split(int color) override;
    std::unique_ptr<comm::SharedMemory> share(std::size_t size) override;
    void give_back_spare_memory() override { group_.give_back_spare_memory(); }
    std::unique_ptr<comm::Counter> make_counter() override;
    const comm::Communicator& underlying() const override { return group_.underlying(); }

private:
    StageClock::Timed waiting() { return {&clock_, Stage::wait}; }

    comm::Communicator& group_;
    StageClock& clock_;
};

}  // namespace ventral::pipeline

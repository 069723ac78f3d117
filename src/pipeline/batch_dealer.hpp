#pragma once
/// @file
/// Which rank runs which batch.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "comm/communicator.hpp"

namespace ventral::pipeline {

/// Deals 0 … batches-1 to the ranks of a team: first to each as many as it has workers, so that the
/// first rank has batch 0, then to whichever is free. Making and destroying it are collective.
class BatchDealer {
public:
    /// `workers` of this rank.
    BatchDealer(std::size_t batches, std::size_t workers, comm::Communicator& team);

    /// Of this rank, to begin with.
    const std::vector<std::size_t>& first() const { return first_; }

    /// The next one of all; nothing once all have been dealt, or a rank has said that none need go
    /// on. Any worker may ask.
    std::optional<std::size_t> next();

    /// Says that no rank need go on: something has failed, or the run is asked to stop.
    void end();

    /// How many have been dealt to all ranks together.
    std::size_t dealt() const;

private:
    /// In `memory_`: how many have been dealt beyond the first, and whether that is all.
    enum Word : std::size_t { later, ended, words };
    std::uint64_t& word(Word which) const;

    std::size_t batches_;
    std::unique_ptr<comm::SharedMemory> memory_;
    std::size_t firsts_of_all_ = 0;
    std::vector<std::size_t> first_;
};

}  // namespace ventral::pipeline

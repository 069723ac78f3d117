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
/// first rank has batch 0, then to whichever is free; ranks on several nodes, which share no
/// memory, get as many each. Making and destroying it are collective.
class BatchDealer {
public:
    /// `workers` of this rank.
    BatchDealer(std::size_t batches, std::size_t workers, comm::Communicator& team);

    /// Of this rank, to begin with.
    const std::vector<std::size_t>& first() const { return first_; }

    /// The next one of all; nothing once all have been dealt, or a rank has said that none need go
    /// on. Any worker may ask.
    std::optional<std::size_t> next();

    /// Says that no rank need go on: something has failed, or the run is asked to stop. Ranks on
    /// several nodes go on all the same.
    void end();

    /// How many have been dealt to all ranks together; on several nodes by what this rank got.
    std::size_t dealt() const;

private:
    /// How many have been dealt beyond the first, and whether that is all; of this rank alone where
    /// the ranks share no memory.
    enum Word : std::size_t { later, ended, words };
    std::uint64_t& word(Word which) const;

    std::size_t batches_;
    std::unique_ptr<comm::SharedMemory> memory_;  ///< of the words
    std::size_t begin_ = 0;                       ///< of what `next` deals, and
    std::size_t stride_ = 1;                      ///< its steps
    std::vector<std::size_t> first_;
};

}  // namespace ventral::pipeline

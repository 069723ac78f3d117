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
/// first rank has batch 0, then to whichever is free. Ranks on several nodes share no memory: they
/// get as many each, in rounds, between which they can agree that all is well. Making and
/// destroying it are collective.
class BatchDealer {
public:
    /// `workers` of this rank.
    BatchDealer(std::size_t batches, std::size_t workers, comm::Communicator& team);

    /// Of this rank, to begin with.
    const std::vector<std::size_t>& first() const { return first_; }

    /// Whether there is another round, which begins; the same on all ranks. On one node there is
    /// one.
    bool begin_round();

    /// The next one of all in this round; nothing once all have been dealt, or a rank has said that
    /// none need go on. Any worker may ask, but one at a time on each rank.
    std::optional<std::size_t> next();

    /// Says that no rank need go on: something has failed, or the run is asked to stop. Ranks on
    /// other nodes finish their round all the same.
    void end();

    /// Counts a batch that is done.
    void count_done();

    /// How many are done on all ranks together; on several nodes by what this rank has done.
    std::size_t done() const;

private:
    /// How many have been dealt beyond the first, how many of all are done, and whether that is
    /// all; of this rank alone where the ranks share no memory.
    enum Word : std::size_t { later, finished, ended, words };
    std::uint64_t& word(Word which) const;

    std::size_t batches_;
    std::unique_ptr<comm::SharedMemory> memory_;  ///< of the words
    std::size_t begin_ = 0;                       ///< of what `next` deals, and
    std::size_t stride_ = 1;                      ///< its steps
    std::size_t rounds_left_ = 1;
    std::size_t steps_a_round_;
    std::size_t end_of_round_ = 0;  ///< in steps
    std::vector<std::size_t> first_;
};

}  // namespace ventral::pipeline

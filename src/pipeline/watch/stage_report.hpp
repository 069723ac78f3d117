#pragma once
/// @file
/// What the ranks of a run did with their time, for its end.

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "pipeline/watch/stage_clock.hpp"

namespace ventral::pipeline {

/// Of one rank, in seconds of its main thread.
struct RankTimes {
    std::string host;
    std::vector<double> stages;  ///< in the order of `Stage`
    double total = 0;

    /// All but waiting.
    double busy() const;
    /// What no stage has.
    double other() const;

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& host& stages& total;
    }
};

/// Those of all ranks, on every rank, when the last has come here. Collective.
std::vector<RankTimes> gather_times(StageClock& clock, comm::Communicator& world);

/// The longest busy time over the mean one: 1 if all ranks had the same to do.
double imbalance(const std::vector<RankTimes>& ranks);

/// For people, a line for each rank (of many ranks the first 16) and one for the imbalance.
std::vector<std::string> report_lines(const std::vector<RankTimes>& ranks);

/// A line of the journal, of the kind "times".
std::string times_json(const std::vector<RankTimes>& ranks);

/// What such a line says; no ranks if it is of another kind.
std::vector<RankTimes> times_from(const std::string& line);

}  // namespace ventral::pipeline

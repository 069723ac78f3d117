#pragma once
/// @file
/// Recordings that one rank reads for all of its team.

#include <cstddef>

#include "comm/communicator.hpp"
#include "pipeline/inputs/recordings.hpp"

namespace ventral::pipeline {

/// Has `recordings` prepare what a benchmark asks of features: the first rank of the team reads the
/// files, and tells the others, who read nothing. Throws on all what goes wrong on one
/// (`comm::run_collectively`). Collective.
void prepare_together(RecordingsReader& recordings, std::size_t benchmark,
                      comm::Communicator& team);

/// What telling takes on each rank beside what it keeps, about.
double telling_bytes(const PreparedBenchmark& prepared);

}  // namespace ventral::pipeline

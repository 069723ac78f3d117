#pragma once
/// @file
/// What one job would take with other ranks and threads, from the seconds of its stages on one
/// worker. Schedules them as `run` does.

#include <cstddef>
#include <vector>

namespace ventral::pipeline {

/// Seconds of one unit on one worker.
struct UnitStages {
    double extract = 0;
    std::size_t batches = 0;          ///< what extraction is divided into; 0: as fine as one likes
    double gram = 0;                  ///< divided as fine as one likes
    std::vector<double> fold_groups;  ///< each is work for one worker
    double serial = 0;                ///< the rest, which more workers do not shorten
};

double sum_of(const UnitStages& unit);

/// How much longer a worker takes while others work on the same node: they share caches, memory and
/// clock. In between it grows evenly with the workers.
struct Slowdown {
    std::size_t workers = 1;  ///< at which the factors were measured
    double extract = 1;
    double gram = 1;
    double fit = 1;
};

struct JobShape {
    std::size_t teams = 1;    ///< each on a node of its own
    std::size_t ranks = 1;    ///< of a team
    std::size_t threads = 1;  ///< of a rank
    double start_seconds = 0;
    std::vector<double> ceilings = {};  ///< before the units, each on one rank
    Slowdown slowdown = {};
};

struct JobOutcome {
    double seconds = 0;
    double idle_share = 0;  ///< of all workers' time after the start
};

/// Teams take whole units, the longest first, whenever they are free; inside a unit batches and
/// fold groups go in turn to whichever worker is free.
JobOutcome simulate_job(const std::vector<UnitStages>& units, const JobShape& shape);

}  // namespace ventral::pipeline

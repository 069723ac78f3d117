#pragma once
/// @file
/// How long the work of a plan's units will take.

#include <cstddef>
#include <vector>

#include "config/run_record.hpp"
#include "pipeline/outlook/calibration.hpp"
#include "pipeline/outlook/unit_work.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::pipeline {

/// Each network that has to run is tried once before, `at_once` at a time: of the time that all
/// trials take the first unit with a pass of each network, in the order of the plan, has an equal
/// part. A built-in network is not tried. `work` is of the units of the plan.
void share_trials(const config::RunRecord& run, const RunPlan& plan, std::size_t at_once,
                  std::vector<UnitWork>& work);

/// The ranks of a node at work, and how fast it is.
struct Machine {
    std::size_t ranks = 1;
    std::size_t threads = 1;
    Calibration calibration;
    /// The probe ran on the machine of the calibration: a pass takes what it took there. Else it
    /// takes its flops at the rate of convolutions.
    bool probed_here = true;
};

struct UnitSeconds {
    double extract = 0;  ///< with its part of the trials of networks
    double gram = 0;
    double fit = 0;
    double disk = 0;

    double total() const { return extract + gram + fit + disk; }
    UnitSeconds& operator+=(const UnitSeconds& more);
};

/// On one node, where all ranks and workers share a unit. A pass loads the network once; its
/// batches go in rounds of one per worker, each with its trials and after its images are read once;
/// of the fits at most one fold group to a worker. Activations are on their way to disk while the
/// network runs: beside what the workers take to hand them to the system they only take as long as
/// the disk has more to do than the network.
UnitSeconds unit_seconds(const UnitWork& work, const Machine& machine);

}  // namespace ventral::pipeline

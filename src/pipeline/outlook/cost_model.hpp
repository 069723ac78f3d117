#pragma once
/// @file
/// What the units of a plan will cost: arithmetic, traffic with the disk, and seconds. What earlier
/// runs have left on disk costs nothing again.

#include <cstddef>
#include <vector>

#include "pipeline/inputs/recordings.hpp"
#include "pipeline/journal/checkpoints.hpp"
#include "pipeline/outlook/calibration.hpp"
#include "pipeline/outlook/estimate.hpp"
#include "pipeline/outlook/fit_flops.hpp"

namespace ventral::pipeline {

/// A stimulus set that has to go through the network, at once.
struct NetworkPass {
    std::size_t images = 0;
    std::size_t batches = 0;
    std::size_t trials = 1;  ///< of each batch, which one worker runs one after the other
};

/// What is left to do, of a unit or of several together.
struct Work {
    std::vector<NetworkPass> passes;
    double network_flops = 0;  ///< of all of them; 0 with passes: not known
    /// n (n + 1) p of each layer without a Gram, unless no metric needs it or it has so few
    /// features that they stand for it; 3 n² p more where a metric needs the features in their
    /// small form; of a model's PCA f (f + 1) p + 9 f³ + 2 t f p, f and t being its images and the
    /// stimuli, each in all time bins of their features. Products with zeros, which a Gram may skip
    /// (stats/gram/sparse_rows.hpp), are counted.
    double gram_flops = 0;
    FitFlops fits;
    std::size_t fold_groups = 0;
    double read_bytes = 0;  ///< of files that are there: what a run has just written is in memory
    double written_bytes = 0;     ///< activations, Grams, results
    double activation_bytes = 0;  ///< of them, which are written while the network runs

    /// That have to go through the network.
    std::size_t images() const;
    double flops() const { return network_flops + gram_flops + fits.total(); }
    Work& operator+=(const Work& more);
};

/// What is left to do of a unit, and what its network takes.
struct UnitWork : Work {
    /// Of the network in a process of its own, several side by side: see `share_trials`.
    double network_trials = 0;
    /// By a trial of the network, where it is shown some images in one layout or in both
    /// (`models::mistaken_in_layout`).
    double trial_loads = 1;
    double trial_images = 1;
    double load_seconds = 0;  ///< the rest of the probe, see `NetworkProbe`
    double image_seconds = 0;
    double batch_seconds = 0;
};

/// What the work of all units is about.
struct WorkInputs {
    const config::RunRecord& run;
    const InputFacts& facts;
    const Finished& finished;
    Checkpoints& checkpoints;
    RecordingsReader& recordings;
};

/// Of a unit that was probed; scores of layers that were not found there take nothing. A benchmark
/// whose recordings cannot be read has no fits. Recordings that other units need may be forgotten.
UnitWork unit_work(const PlannedUnit& unit, const UnitEstimate& estimate, const WorkInputs& inputs);

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

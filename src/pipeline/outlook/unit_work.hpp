#pragma once
/// @file
/// What the units of a plan have left to do: arithmetic and traffic with the disk. What earlier
/// runs have left on disk costs nothing again.

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pipeline/inputs/recordings.hpp"
#include "pipeline/journal/checkpoints.hpp"
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

/// Bytes of new files by what they hold, which several units may want and one of them writes.
using NewFiles = std::map<std::string, double>;

/// What is left to do of a unit, and what its network takes.
struct UnitWork : Work {
    NewFiles activation_files;  ///< a layer of a file each, not compressed
    NewFiles projection_files;
    NewFiles gram_files;
    double result_bytes = 0;          ///< of its scores in journal and tables
    std::set<std::string> extracted;  ///< layers that the network has to give
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

}  // namespace ventral::pipeline

#pragma once
/// @file
/// What the units of a plan will need, before they run: `ventral plan`.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/probe.hpp"
#include "pipeline/run_journal.hpp"

namespace ventral::pipeline {

struct UnitEstimate {
    std::string model;
    std::string dataset;
    std::size_t stimuli = 0;
    std::size_t trials = 1;     ///< of each stimulus
    std::size_t time_bins = 1;  ///< that a network answers in
    std::size_t gram_rows = 0;  ///< more than stimuli if features change in time
    std::vector<LayerSize> layers;
    std::optional<NetworkProbe> network;  ///< of a model that is a network
    std::size_t scores = 0;
    std::size_t finished = 0;     ///< of them, in the journal already
    double gram_bytes = 0;        ///< rows² doubles of one layer
    double slab_bytes = 0;        ///< of streaming its features
    double projection_bytes = 0;  ///< of fitting the widest layer's PCA and projecting on it
    double fit_bytes = 0;         ///< `FitMemory::shared`
    double features_bytes = 0;    ///< of stored features, which the first rank reads
    /// Of each worker but the first: a pass (at least two copies of all layers of its batch), and a
    /// batch that waits to be written.
    double batch_bytes_a_rank = 0;
    double fit_bytes_a_rank = 0;      ///< `FitMemory::a_rank`; never with the batches
    double program_bytes_a_rank = 0;  ///< program, libraries, network and one worker's pass
    double activation_bytes = 0;      ///< on disk
    double memory_bytes = 0;          ///< of a node with all its ranks
    std::string problem;              ///< why it cannot run, or empty

    /// Seen by all ranks: the Gram, and slabs or what fits share; or the projection before.
    double shared_bytes() const;
    /// Of one rank, without what it shares.
    double rank_bytes() const;
};

/// The machine that the run is planned for.
struct NodeSize {
    double memory_bytes = 0;
    std::size_t ranks = 1;
    std::size_t threads = 1;
    /// What this process has taken so far, asked after a unit was probed.
    std::function<double()> program_bytes = [] { return 0.0; };
    /// Called before each unit: what those before have taken and given back is not its part.
    std::function<void()> forget_peak = [] {};
};

/// Probes every unit with one batch. Failures become `problem`.
std::vector<UnitEstimate> estimate_units(const config::RunRecord& run, const RunPlan& plan,
                                         const Finished& finished, const NodeSize& node);

}  // namespace ventral::pipeline

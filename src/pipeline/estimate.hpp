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
    std::size_t gram_rows = 0;  ///< more than stimuli if features change in time
    std::vector<LayerSize> layers;
    std::optional<NetworkProbe> network;  ///< of a model that is a network
    std::size_t scores = 0;
    std::size_t finished = 0;     ///< of them, in the journal already
    double gram_bytes = 0;        ///< rows² doubles of one layer
    double slab_bytes = 0;        ///< of streaming its features
    double projection_bytes = 0;  ///< of fitting the widest layer's PCA and projecting on it
    /// (3 · threads − 1) batches of all layers: of one per worker two copies while it is recorded,
    /// and one result per worker but the first that waits to be written.
    double batch_bytes_a_rank = 0;
    double program_bytes_a_rank = 0;  ///< the program, its libraries and the network
    double activation_bytes = 0;      ///< on disk
    /// Of a node with `ranks` ranks: Gram and slabs or the projection before, batches, program.
    double memory_bytes = 0;
    std::string problem;  ///< why it cannot run, or empty
};

/// The machine that the run is planned for.
struct NodeSize {
    double memory_bytes = 0;
    std::size_t ranks = 1;
    std::size_t threads = 1;
    /// What this process has taken so far, asked after a unit was probed.
    std::function<double()> program_bytes = [] { return 0.0; };
};

/// Probes every unit with one batch. Failures become `problem`.
std::vector<UnitEstimate> estimate_units(const config::RunRecord& run, const RunPlan& plan,
                                         const Finished& finished, const NodeSize& node);

}  // namespace ventral::pipeline

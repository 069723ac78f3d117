#pragma once
/// @file
/// What the units of a plan will need, before they run: `ventral plan`.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "pipeline/inputs/recordings.hpp"
#include "pipeline/journal/finished.hpp"
#include "pipeline/outlook/probe.hpp"
#include "pipeline/outlook/unit_memory.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::pipeline {

struct UnitEstimate {
    std::string model;
    std::string dataset;
    std::size_t stimuli = 0;
    std::size_t gram_rows = 0;  ///< more than stimuli if features change in time
    std::vector<LayerSize> layers;
    InTime in_time = InTime::still;
    std::size_t feature_bins = 1;  ///< of stored features, or that a network answers in
    std::size_t fitting_rows = 0;  ///< that its PCA is fitted on: images in each of these bins
    std::optional<NetworkProbe> network;  ///< of a model that is a network
    std::size_t scores = 0;
    std::size_t finished = 0;  ///< of them, in the journal already
    std::size_t failed = 0;    ///< of the finished ones
    std::vector<MemoryStage> stages;
    double program_bytes_a_rank = 0;  ///< program, libraries, and what networks leave
    double activation_bytes = 0;      ///< on disk
    double memory_bytes = 0;  ///< of a node with all its ranks, in the stage that needs most
    double rank_bytes = 0;    ///< of its first rank, with what that shares
    /// That a run must be allowed on a node: more than is known to be used.
    double needed_bytes = 0;
    std::string problem;  ///< why it, or a part of its scores, cannot run; or empty
    /// Why recordings of a benchmark cannot be scored.
    std::map<std::size_t, std::string> unusable;
    std::map<std::string, std::string> failing_layers;  ///< whose scores will fail, and why
    std::string left_out;  ///< why a run does not take it, see `reason_left_out`; or empty
    bool can_run = false;  ///< as far as is known some of its scores can be computed

    /// An empty one is none.
    void add_problem(const std::string& text);
    /// The one that needs most of a node; there must be one.
    const MemoryStage& largest_stage(std::size_t ranks) const;
};

/// The machine that the run is planned for.
struct NodeSize {
    double memory_bytes = 0;
    std::size_t ranks = 1;
    std::size_t threads = 1;
    /// What this process has taken at most since `forget_peak` was called.
    std::function<double()> program_bytes = [] { return 0.0; };
    std::function<void()> forget_peak = [] {};
    double room_to_start = 0;  ///< that a rank must have beside its program: else no run begins
};

/// Which scores its `unusable` benchmarks cost, and why; empty if there are none.
std::string unusable_text(const UnitEstimate& estimate, const config::RunRecord& run);

/// Whether stimuli still have to go through the network of a unit that was probed: what earlier
/// runs have left on disk may be enough.
using NeedsPasses = std::function<bool(const PlannedUnit&, const UnitEstimate&, RecordingsReader&)>;

/// What is asked and told on the way.
struct EstimateCalls {
    NeedsPasses needs_passes = [](const auto&, const auto&, auto&) { return true; };
    /// Told after each unit that has been looked at: how many have been, of how many.
    std::function<void(std::size_t done, std::size_t total)> on_unit = [](auto, auto) {};
};

/// Probes every unit that has open scores with one batch; a finished one can run and needs nothing.
/// Failures become `problem`; what needs too much memory has the setting in it with which it would
/// fit, if there is one. Scores of layers that a file lacks, and of recordings that cannot be
/// scored, are a problem too, and in no other number.
std::vector<UnitEstimate> estimate_units(const config::RunRecord& run, const RunPlan& plan,
                                         const Finished& finished, const NodeSize& node,
                                         const EstimateCalls& calls = {});

}  // namespace ventral::pipeline

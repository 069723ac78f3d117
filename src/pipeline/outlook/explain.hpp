#pragma once
/// @file
/// Why the scores of a plan are reused or computed, in words for people.

#include <functional>
#include <string>
#include <vector>

#include "core/score.hpp"
#include "core/time_bin.hpp"
#include "pipeline/journal/checkpoints.hpp"
#include "pipeline/journal/finished.hpp"
#include "pipeline/journal/unit_history.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::pipeline {

enum class ScoreAction { reuse, compute, impossible };
/// "reused", "to be computed", "cannot be computed".
std::string name_of(ScoreAction action);

struct ScoreExplanation {
    std::string model;
    std::string layer;
    std::string benchmark;
    std::string key;
    ScoreAction action = ScoreAction::compute;
    std::string why = {};
    std::string on_disk = {};  ///< of its layers: "Gram and activations"; "" if it is not computed
};

/// What earlier runs say, and where the files are.
struct EarlierWork {
    const Finished& finished;                       ///< which raw values are whole, among others
    const std::vector<core::ScoreRecord>& records;  ///< of the journal, one of each key
    Checkpoints& checkpoints;
    const UnitHistories& histories;  ///< of units that have ended their jobs
    /// The time bins of each Gram that a score is fitted on, see `gram_bins`.
    std::function<std::vector<core::TimeBins>(std::size_t unit, const PlannedScore& score)> bins =
        [](std::size_t, const PlannedScore&) { return std::vector<core::TimeBins>(1); };
};

/// One for each score of the plan, unit by unit, then those that cannot be computed. A score whose
/// inputs have changed is told by which parts of its key differ from the latest record of the same
/// model, benchmark and layer.
std::vector<ScoreExplanation> explain(const config::RunRecord& run, const InputFacts& facts,
                                      const RunPlan& plan, const EarlierWork& earlier);

}  // namespace ventral::pipeline

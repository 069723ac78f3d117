#pragma once
/// @file
/// Stages 3 and 4 of a unit: the fold groups of all scores on one Gram, spread over the ranks of
/// the team and their workers, and put together on every rank.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "core/score.hpp"
#include "metrics/registered_metrics.hpp"
#include "pipeline/inputs/recordings.hpp"
#include "pipeline/journal/finished.hpp"
#include "pipeline/journal/run_journal.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

/// One score to fit; its plan's rows are those of the Gram.
struct FitTask {
    const PlannedScore* planned = nullptr;
    const metrics::RegressionPlan* plan = nullptr;
    const metrics::MetricOptions* metric = nullptr;
    bool restricted = false;  ///< no raw value may reach the disk
    std::size_t part = 0;     ///< of several fits that make up the score
    std::size_t parts = 1;

    /// The number of its first fold group among those of the score.
    std::size_t first_group() const { return part * plan->groups(); }
};

/// What became of a task.
struct FitOutcome {
    core::Outcome<core::Score> score;
    std::map<std::uint64_t, std::size_t> folds_by_rank;  ///< that each rank of the world computed
    double seconds = 0;                                  ///< of all its fold groups together
    /// The Gram's guard asks for the features in some fold, and they were not at hand.
    bool needs_features = false;
};

/// What is written down of finished fold groups.
struct FitJournal {
    RunJournal* journal = nullptr;  ///< on the team's first rank; null elsewhere
    /// Asked there when a group comes in, of whose features it is only known then that they are the
    /// scores' own: whether it counts for later runs.
    std::function<bool()> keeps_groups = [] { return true; };
};

/// Fits every fold group that `finished` does not have and returns the outcomes, the same on every
/// rank. A finished group whose Gram has lost digits counts only while the features are not at hand
/// in `forms`, or are not wanted: else it is fitted again, with the bits of a job that never
/// stopped. Each finished group is given to `journal`. Throws `core::Interrupted` on all ranks if
/// asked to stop before all was done. Collective.
std::vector<FitOutcome> fit_scores(const std::vector<FitTask>& tasks,
                                   const metrics::FeatureForms& forms, const Finished& finished,
                                   const FitJournal& journal, TeamContext& context);

}  // namespace ventral::pipeline

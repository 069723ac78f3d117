#pragma once
/// @file
/// What becomes of a unit's scores: records in the journal.

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/fit/fit.hpp"
#include "pipeline/fit/unit_inputs.hpp"
#include "pipeline/journal/failure_log.hpp"
#include "pipeline/journal/run_journal.hpp"
#include "pipeline/schedule/team_context.hpp"
#include "pipeline/watch/memory_bound.hpp"

namespace ventral::pipeline {

/// What the features of scores took.
struct FeatureSeconds {
    double gram = 0;        ///< with the network if it ran
    double extraction = 0;  ///< what the network took of it
};

/// Records the scores of one unit, each once. Only the rank with a journal writes.
class UnitRecords {
public:
    UnitRecords(const PlannedUnit& unit, const UnitInputs& inputs, RunJournal* journal,
                const TeamContext& context)
        : unit_(unit),
          inputs_(inputs),
          journal_(journal),
          context_(context),
          log_(core::log_error, "failed", inputs.told_failures) {}

    /// The ceiling's outcome; null if the benchmark has none.
    const CeilingOutcome* ceiling_of(const PlannedScore& score) const;

    /// A score of several parts once the last of them has come.
    void record(const FitTask& task, const FitOutcome& outcome, const FeatureSeconds& seconds);

    /// A score that has failed before stays so, and one that is scored too.
    void fail(const std::vector<const PlannedScore*>& scores, const core::Failure& failure);

    /// Does `work`, which is collective; what goes wrong in it is the failure of `scores`. False
    /// then.
    bool or_fail(const std::vector<const PlannedScore*>& scores, const std::function<void()>& work);

private:
    /// Nothing if the benchmark has none, or it has failed.
    std::optional<core::CeilingValue> own_ceiling_of(const PlannedScore& score) const;
    core::ScoreRecord new_record(const PlannedScore& score) const;
    void record_whole(const FitTask& task, const FitOutcome& outcome,
                      const FeatureSeconds& seconds);
    void note_costs(core::ScoreRecord& record, const FitOutcome& outcome,
                    const FeatureSeconds& seconds) const;
    void write(core::ScoreRecord record, const FitTask& task, const core::Score& score);
    MemoryShare memory_share() const;

    const PlannedUnit& unit_;
    const UnitInputs& inputs_;
    RunJournal* journal_;
    const TeamContext& context_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    /// Of scores that are fitted in parts: key → part → what became of it.
    std::map<std::string, std::map<std::size_t, FitOutcome>> unfinished_;
    std::set<std::string> settled_;  ///< keys of what is scored or has failed
    FailureLog log_;
};

}  // namespace ventral::pipeline

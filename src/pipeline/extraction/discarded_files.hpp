#pragma once
/// @file
/// Activations and projections that a run does not keep: which files are those of a unit, and their
/// removal.

#include <set>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/journal/finished.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

/// What the files of some units are called in the folder of activations.
struct UnitFiles {
    std::set<std::string> prefixes;     ///< of activations: `activations_prefix`
    std::set<std::string> projections;  ///< `projected_layer_key`
};

/// Adds those of a unit: its activations of any layers, those that its PCA is fitted on, and its
/// projections.
void add_files_of(UnitFiles& files, const PlannedUnit& unit, const config::RunRecord& run,
                  const InputFacts& facts, const std::string& fingerprint);

/// Removes from OUT/activations the files of `gone` that nobody uses and that are none of `kept`.
/// What another unit, run or shard has in use stays: it is removed at the end of that one. Where
/// the file system has no locks to say so it goes too, and whoever used it makes it again.
void discard_files(const std::string& out, const UnitFiles& gone, const UnitFiles& kept = {});

/// The files of units of which all scores are finished, and that no open unit needs.
std::vector<std::string> files_of_finished(const std::string& out, const RunPlan& plan,
                                           const config::RunRecord& run, const InputFacts& facts,
                                           const Finished& finished,
                                           const std::string& fingerprint);

/// Unless they are to be kept, removes the files of units of which all scores are finished, as an
/// interrupted run may have left them: `files_of_finished`.
void discard_finished(const RunPlan& plan, const config::RunRecord& run, const InputFacts& facts,
                      const Finished& finished, const TeamContext& context);

}  // namespace ventral::pipeline

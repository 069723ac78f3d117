#pragma once
/// @file
/// Ceilings: computed once per benchmark and kept by key under OUT/ceilings, for all models, shards
/// and nights.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/score.hpp"
#include "pipeline/inputs/recordings.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

/// The value, or why there is none.
using CeilingOutcome = core::Outcome<core::CeilingValue>;

/// One on disk, if it has a value for each neuroid. Throws `core::InputError` if it is damaged.
std::optional<core::CeilingValue> ceiling_with_neuroids(const std::string& out,
                                                        const std::string& key);

/// What a run would do about ceilings that are not whole on disk.
struct CeilingsToDo {
    std::vector<PlannedCeiling> compute;
    std::size_t left_out = 0;  ///< which have ended jobs
};

/// Of the planned ceilings under `out`; if that is empty all are to be computed.
CeilingsToDo ceilings_to_do(const std::vector<PlannedCeiling>& planned, const std::string& out,
                            const UnitHistories& histories = {});

/// Computes the planned ceilings that are not on disk yet, spread over all ranks of the world,
/// those that have ended jobs (`TeamContext::histories`) alone after the others or not at all, and
/// gives all of them to every rank; `on_written` is told of each that is on disk now. Throws
/// `core::Interrupted` on all ranks if one is asked to stop. Collective over the world.
std::map<std::string, CeilingOutcome> settle_ceilings(
    const std::vector<PlannedCeiling>& planned, RecordingsReader& recordings,
    comm::Communicator& world, TeamContext& context,
    const std::function<void()>& on_written = [] {});

}  // namespace ventral::pipeline

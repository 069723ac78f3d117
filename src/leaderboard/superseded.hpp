#pragma once
/// @file
/// Failures that a later run has replaced.

#include <map>
#include <string>
#include <vector>

#include "core/score.hpp"

namespace ventral::leaderboard {

/// Removes the failed records of a model, benchmark, version and layer that have a later one: done,
/// or failed again. One without layer (a file could not be read, say) is replaced by a later one of
/// any layer. A failure that is later than the score stays beside it, unless tables that are later
/// still list the score and not the failure: `listed` says by key when such tables were written.
///
/// Records without a time are older than all others, and of two of one time the done one is the
/// later. A score, or a failure of a layer, that a run finds finished is not recorded again.
void drop_superseded(std::vector<core::ScoreRecord>& records,
                     const std::map<std::string, std::string>& listed = {});

}  // namespace ventral::leaderboard

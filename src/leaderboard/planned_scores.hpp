#pragma once
/// @file
/// Which scores of a journal are of today.

#include <optional>
#include <string>
#include <vector>

#include "core/score.hpp"
#include "leaderboard/records.hpp"

namespace ventral::leaderboard {

/// Leaves of the records, of the models and benchmarks that are planned together, just the
/// `planned` ones, with the place on the leaderboard that the plan gives them; those that have no
/// record yet are added as pending. Of the other models and benchmarks it leaves what the tables
/// have `listed` so far, at the place that they list it, as pending what no journal has (any more),
/// and of those that they do not list the latest of each name. What is not computed is left out if
/// nobody plans it any more: it was planned by the run file at `all_of`, of which `planned` is all.
void take_planned(Night& night, const std::vector<core::ScoreRecord>& planned,
                  const std::vector<core::ScoreRecord>& listed,
                  const std::optional<std::string>& all_of = {});

/// Gives the records that are `listed` the place on the leaderboard at which they are: a journal
/// has the one at which they were scored.
void take_listed_places(std::vector<core::ScoreRecord>& records,
                        const std::vector<core::ScoreRecord>& listed);

/// Leaves only the records whose key is `listed`, with the listed place on the leaderboard, and
/// adds as pending what is listed so, or as scored, and in no journal: a journal also has the
/// scores of models and benchmarks that have changed since, and a run's own tables say which are of
/// today.
void keep_listed(std::vector<core::ScoreRecord>& records,
                 const std::vector<core::ScoreRecord>& listed);

}  // namespace ventral::leaderboard

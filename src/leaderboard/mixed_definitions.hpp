#pragma once
/// @file
/// Whether scores that stand in one column of a table can be compared.

#include <string>
#include <vector>

#include "core/score.hpp"

namespace ventral::leaderboard {

/// A warning for each benchmark whose scores, the latest of each name, are of different definitions
/// (version, parent, normalisation, ceiling; stimuli, recordings, what is selected of them and the
/// metric with its parameters, by the beginnings of their hashes), as those of models are that were
/// left out of the run when the benchmark changed: each definition, as far as they differ, and how
/// many scores it has.
std::vector<std::string> mixed_definitions(const std::vector<core::ScoreRecord>& records);

}  // namespace ventral::leaderboard

#pragma once
/// @file
/// Scores as a grid of models and benchmarks, or as a list.

#include <optional>
#include <vector>

#include "core/score.hpp"
#include "leaderboard/aligned_columns.hpp"

namespace ventral::leaderboard {

using Records = std::vector<const core::ScoreRecord*>;

/// Header, a row per model and layer and a column per benchmark (with its version); rows by
/// falling mean of their scores, NaN and missing ones left out of it, rows without any last. A last
/// row has the ceilings if there are any and each benchmark has one. Nothing if two records
/// belong into one cell.
std::optional<std::vector<TextRow>> score_grid(const Records& records);

/// Header and a row per record, in order: model, benchmark, layer, score, raw, ceiling, status.
std::vector<TextRow> score_list(const Records& records);

}  // namespace ventral::leaderboard

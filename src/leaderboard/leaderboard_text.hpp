#pragma once
/// @file
/// The leaderboard as text for people.

#include <cstddef>
#include <string>

#include "leaderboard/records.hpp"

namespace ventral::leaderboard {

/// In this order, parts that are empty left out:
/// - of several models and benchmarks the ranking (`model_ranking.hpp`), committed layers only;
/// - the leaderboard, committed layers only: below the headings of the parents ("a/b" is b inside
///   a) a grid with a row per model and layer and a column per benchmark, the best model (mean over
///   the benchmarks) first and the ceilings last; where a grid would be wider than `width`
///   characters or two scores would share a cell, a list of the columns of "other layers";
/// - "other layers": the scores of layers that the model does not commit to the region, one a line;
/// - slices: of scores that are vectors, each of their numbers, one a line;
/// - failed scores with their classes, those of one reason together, and the reason in full;
/// - hints (`hints.hpp`), and how many scores have each status.
std::string leaderboard_text(const Night& night, std::size_t width);

}  // namespace ventral::leaderboard

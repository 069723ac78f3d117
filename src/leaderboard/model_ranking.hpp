#pragma once
/// @file
/// Models by their mean score.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/score.hpp"

namespace ventral::leaderboard {

struct RankedModel {
    std::string model;
    std::optional<double> average;             ///< none: it has no score at all
    std::vector<std::optional<double>> means;  ///< of each of the parents
    std::size_t missing = 0;                   ///< benchmarks without a score that is a number
};

struct ModelRanking {
    std::vector<std::string> parents;  ///< the topmost between which there is a choice
    std::size_t benchmarks = 0;
    std::vector<RankedModel> models;  ///< the best average first, equal ones by name
};

/// Averages as the reference's leaderboard has them (https://brain-score.org/language, "How to
/// interpret" and its table): that of a parent is the mean of its own benchmarks and of the
/// averages of the parents in it, of committed layers; what is missing counts as 0 beside what
/// there is. Of a benchmark its newest version alone counts: scores of an older one, as those of
/// models are that are not run any more, are missing. Of several scores of one model, benchmark and
/// layer the latest counts; those of several layers count as their mean.
ModelRanking rank_models(const std::vector<core::ScoreRecord>& records);

}  // namespace ventral::leaderboard

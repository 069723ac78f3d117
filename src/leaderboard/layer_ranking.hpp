#pragma once
/// @file
/// The layers of a model by their scores on the benchmarks of a region: which of them should stand
/// for it.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/score.hpp"

namespace ventral::leaderboard {

struct RankedLayer {
    std::string layer;  ///< as records name it: concatenated ones are joined by "+"
    /// Mean of the scores over the benchmarks, one being negative if its raw value is; NaN if one
    /// is.
    double value = 0;
    std::optional<double> error;  ///< of the mean of what is normalised, errors being independent
    double gram_s = 0;            ///< to make its Grams, or to read them, without the network
    double fit_s = 0;             ///< of all folds together, whatever the threads
};

struct LayerRanking {
    std::string model;
    std::vector<std::string> benchmarks;
    std::vector<RankedLayer> layers;  ///< in the order of the run
    std::size_t best = 0;             ///< the highest value; of equal ones the first
    /// Why other layers are not among them: a benchmark refuses them, or there are none such.
    std::vector<std::string> left_out;
    double extraction_s = 0;  ///< of the passes of the network for these scores
};

/// The ranking of `model` from the records that a journal has of what is `planned`, in that order;
/// other models' are passed over. A layer of which a score fails whenever it is tried is left out.
/// Throws `core::InputError` if another score is missing, with the reason if it failed, if a
/// benchmark cannot be scored at all, if no layer is left, or if all scores are NaN.
LayerRanking rank_layers(const std::string& model, const std::vector<core::ScoreRecord>& planned,
                         const std::vector<core::ScoreRecord>& records);

/// The table for people: the best layer is marked.
std::string layer_ranking_text(const LayerRanking& ranking);

}  // namespace ventral::leaderboard

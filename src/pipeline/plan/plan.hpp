#pragma once
/// @file
/// What a run has to do: units (a model with the stimuli of some benchmarks), their scores, and the
/// ceilings. A function of the configuration and of what is in the files; no rank counts.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "core/score.hpp"
#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/plan/shards.hpp"

namespace ventral::pipeline {

struct PlannedScore {
    std::size_t benchmark = 0;  ///< in the run
    config::LayerSet layers;
    bool committed = false;
    std::string key;
};

struct PlannedUnit {
    std::size_t model = 0;            ///< in the run
    std::string dataset;              ///< whose stimuli are shown; several datasets may share them
    std::size_t trials = 1;           ///< of each stimulus, see `trials_of`
    std::string key;                  ///< of the activations, which several models may share
    std::string id;                   ///< of the unit: what the journal calls it
    std::string projection;           ///< key of the model's PCA; empty: there is none
    std::vector<std::string> layers;  ///< all that some score needs, in order of first use
    std::vector<PlannedScore> scores;
    double cost = 0;  ///< relative, guessed from the model's file and the number of stimuli
};

struct PlannedCeiling {
    std::size_t benchmark = 0;  ///< one of those that use it
    std::string key;
    std::size_t stimuli = 0;  ///< of its dataset; 0: not known before it is read
    bool neuroids = false;    ///< whether scores are normalised by those of single neuroids
};

struct RunPlan {
    std::vector<PlannedUnit> units;  ///< the longest first
    std::vector<PlannedCeiling> ceilings;
    std::vector<core::ScoreRecord> impossible;  ///< scores whose inputs cannot be used, with reason
};

/// How often a model is shown each stimulus: the benchmark's `number_of_trials` if it or the model
/// requires variance, else once, as the answers would be the same.
std::size_t trials_of(const models::ModelRecord& model,
                      const benchmarks::BenchmarkRecord& benchmark);

/// Throws `core::InputError` if a benchmark asks for what is not supported. The units of a run are
/// in the same shards wherever the same files can be read: models whose file is damaged keep their
/// place among the others, empty. Units with the same activations are in one shard.
RunPlan make_plan(const config::RunRecord& run, const InputFacts& facts, const Shard& shard);

/// The key of the activations that a network's PCA is fitted on.
std::string fitting_key(const models::ModelRecord& model, const InputFacts& facts);

/// That some score of the unit is of.
std::set<std::size_t> benchmarks_of(const PlannedUnit& unit);

/// Of the ceiling that a benchmark of the run has; empty if it has none.
std::string ceiling_key_of(const config::RunRecord& run, const InputFacts& facts,
                           std::size_t benchmark);

/// What all records of a score have from the plan.
core::ScoreRecord planned_record(const config::RunRecord& run, const PlannedUnit& unit,
                                 const PlannedScore& score);

/// What the key of a score of the plan is made of, see `score_parts` in `keys.hpp`.
std::map<std::string, std::string> score_parts(const config::RunRecord& run,
                                               const InputFacts& facts, const PlannedUnit& unit,
                                               const PlannedScore& score);

/// "features.9+features.10".
std::string layer_text(const config::LayerSet& layers);

}  // namespace ventral::pipeline

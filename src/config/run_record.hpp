#pragma once
/// @file
/// Everything that a run file and the models, benchmarks and datasets it names say.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/benchmark_record.hpp"
#include "benchmarks/dataset_record.hpp"
#include "models/model_record.hpp"

namespace ventral::config {

/// Layers whose features are concatenated, in order. Mostly one.
using LayerSet = std::vector<std::string>;

/// Which layers of the models are scored.
enum class LayerChoice { committed, candidates, all, listed };

struct RunRecord {
    std::string origin;                       ///< the run file, as it was named
    std::string place;                        ///< its absolute path, without links
    std::string data_folder;                  ///< --data or VENTRAL_DATA; empty: none
    std::vector<models::ModelRecord> models;  ///< in the order of the run file
    std::vector<benchmarks::BenchmarkRecord> benchmarks;
    std::map<std::string, benchmarks::DatasetRecord> datasets;  ///< by identifier, those in use
    LayerChoice layers = LayerChoice::committed;
    std::map<std::string, std::vector<LayerSet>> listed_layers;  ///< by model, if `listed`
    std::int64_t seed = 0;
    std::vector<std::string> settings;  ///< of --set, those that have changed any of this
    std::vector<std::string> left_out;  ///< why records beside these are not known
};

}  // namespace ventral::config

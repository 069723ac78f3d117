#pragma once
/// @file
/// All models, benchmarks and datasets that a folder of records defines.

#include <map>
#include <string>

#include "benchmarks/benchmark_record.hpp"
#include "benchmarks/dataset_record.hpp"
#include "config/places.hpp"
#include "models/model_record.hpp"

namespace ventral::config {

/// Records by identifier.
struct Catalogue {
    std::map<std::string, models::ModelRecord> models;
    std::map<std::string, benchmarks::BenchmarkRecord> benchmarks;
    std::map<std::string, benchmarks::DatasetRecord> datasets;
};

/// Reads every *.toml in models/, benchmarks/ and datasets/ of `folder`. Throws `InputError` if one
/// is wrong, if two define one identifier, if a benchmark's dataset is not among the datasets or
/// has no recordings, or if that of a model's PCA is not or has no stimuli. Whether the files of
/// data exist is not asked.
Catalogue read_catalogue(const std::string& folder, const ConfigPlaces& places);

}  // namespace ventral::config

#pragma once
/// @file
/// All models, benchmarks and datasets that a folder of records defines.

#include <map>
#include <string>
#include <vector>

#include "benchmarks/benchmark_record.hpp"
#include "benchmarks/dataset_record.hpp"
#include "config/places.hpp"
#include "models/model_record.hpp"

namespace ventral::config {

/// What is left out, and why.
struct WrongRecord {
    std::string origin;  ///< the TOML file
    std::string problem;
};

/// By what the file calls it: by the file's own name where it is no TOML or states no identifier.
using WrongRecords = std::map<std::string, WrongRecord>;

/// Records by identifier.
struct Catalogue {
    std::map<std::string, models::ModelRecord> models;
    std::map<std::string, benchmarks::BenchmarkRecord> benchmarks;
    std::map<std::string, benchmarks::DatasetRecord> datasets;
    std::vector<std::string> left_out;  ///< why files, or what they define, are not among them
    WrongRecords wrong_models, wrong_benchmarks;
};

/// Reads every *.toml in models/, benchmarks/ and datasets/ of `folder`. Left out are files that
/// are wrong, benchmarks that no run can score or whose dataset is not among the datasets or has no
/// recordings, models with a PCA whose dataset is not or has no stimuli, and what two files define.
/// Throws `TransientError` if a file cannot be read now. Whether the files of data exist is not
/// asked.
Catalogue read_catalogue(const std::string& folder, const ConfigPlaces& places);

/// What an error adds that may come of what is left out: "; left out, since wrong: …".
std::string left_out_text(const std::vector<std::string>& left_out);
/// Warns of what is left out, which only those who name it need.
void log_left_out(const std::vector<std::string>& left_out);

}  // namespace ventral::config

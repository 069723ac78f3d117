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
    std::string origin;  ///< the file
    std::string problem;
    bool is_named = true;  ///< false if the file does not say what it defines
};

/// By what the file calls it: by the file's own name where it states no identifier or one for a
/// family, or is no TOML and has no line of the identifier.
using WrongRecords = std::map<std::string, WrongRecord>;

/// Records by identifier.
struct Catalogue {
    std::map<std::string, models::ModelRecord> models;
    std::map<std::string, benchmarks::BenchmarkRecord> benchmarks;
    std::map<std::string, benchmarks::DatasetRecord> datasets;
    std::vector<std::string> left_out;  ///< why files, or what they define, are not among them
    WrongRecords wrong_models, wrong_benchmarks;
};

/// Reads every *.toml in models/, benchmarks/ and datasets/ of `folder`, and what of
/// datasets/lookup.csv they do not define. Left out are files that
/// are wrong, benchmarks that no run can score or whose dataset is not among the datasets or has no
/// recordings, models with a PCA whose dataset is not or has no stimuli, or with features of a
/// dataset that nothing defines, and what two files define. Throws `TransientError` if a file
/// cannot be read now. Whether the files of data exist is not asked.
Catalogue read_catalogue(const std::string& folder, const ConfigPlaces& places);

/// What is said of a name that no record has: "model 'x' is left out, since wrong: …" of one that
/// is wrong, else `unknown_name`, or if it may stand in wrong files "unknown model 'x'; left out,
/// since wrong: …; or did you mean 'y'?".
std::string unknown_record(const std::string& kind, const std::string& name,
                           const std::vector<std::string>& known, const WrongRecords& wrong);
/// Whether some file does not say what it defines.
bool has_unnamed(const WrongRecords& wrong);

/// Warns of what is left out, which only those who name it need.
void log_left_out(const std::vector<std::string>& left_out);

}  // namespace ventral::config

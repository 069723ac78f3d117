#pragma once
/// @file
/// Reads models/*.toml: one model a file.

#include <map>
#include <string>

#include "config/places.hpp"
#include "models/model_record.hpp"

namespace ventral::config {

/// A record and where its identifier stands: file:line:column.
struct ModelEntry {
    models::ModelRecord record;
    std::string place;
    std::map<std::string, std::string> dataset_places;  ///< dataset → where `features` names it
    std::string pca_dataset_place;  ///< where its PCA names a dataset, if it does
};

/// Throws `InputError` with file:line:column.
ModelEntry read_model_file(const std::string& path, const ConfigPlaces& places);

}  // namespace ventral::config

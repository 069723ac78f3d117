#pragma once
/// @file
/// Reads datasets/*.toml: one dataset a file.

#include <string>

#include "benchmarks/dataset_record.hpp"
#include "config/places.hpp"

namespace ventral::config {

/// A record and where its identifier stands: file:line:column.
struct DatasetEntry {
    benchmarks::DatasetRecord record;
    std::string place;
};

/// Throws `InputError` with file:line:column.
DatasetEntry read_dataset_file(const std::string& path, const ConfigPlaces& places);

}  // namespace ventral::config

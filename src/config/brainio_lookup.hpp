#pragma once
/// @file
/// Reads datasets/lookup.csv, in which BrainIO lists the stimulus sets and assemblies of a
/// laboratory.

#include <string>
#include <vector>

#include "config/dataset_file.hpp"
#include "config/places.hpp"

namespace ventral::config {

/// A dataset of the list, and what is wrong with its rows; empty: nothing.
struct LookupEntry : DatasetEntry {
    std::string problem;
};

/// Each assembly is a dataset, of its stimulus set and with its presentations as repetitions; each
/// stimulus set that no assembly is called after is one of images alone. A location means the file
/// of its last name, which is sought where those of records are, and that of a stimulus set's
/// archive the folder that it unpacks to, named without ".zip". Identifiers that end in ".private"
/// are of private data. Throws `InputError` with file:line if the table is none of this kind.
std::vector<LookupEntry> read_brainio_lookup(const std::string& path, const ConfigPlaces& places);

}  // namespace ventral::config

#pragma once
/// @file
/// Where the user's files are: the folders of records, and the files that records name.

#include <optional>
#include <string>
#include <vector>

namespace ventral::config {

/// What the command line says about places; nothing: the places beside the run file.
struct ConfigPlaces {
    std::optional<std::string> configs_folder;  ///< --configs
    std::optional<std::string> data_folder;     ///< --data or VENTRAL_DATA
};

/// Throws `InputError` unless `folder`, of --configs, has any of models/, benchmarks/ and
/// datasets/.
void require_records(const std::string& folder);

/// The folder whose models/, benchmarks/ and datasets/ a run file means: --configs, else the run
/// file's own folder if it has any of the three, else the folder above. Throws `InputError` if
/// there is none.
std::string configs_folder(const std::string& run_file, const ConfigPlaces& places);

/// The *.toml files of `folder`, sorted by name and without hidden ones (".x.toml"); none if there
/// is no such folder.
std::vector<std::string> toml_files(const std::string& folder);

/// The path of a file that `toml_file` names: relative to the data folder if one is given, else to
/// the folder of `toml_file`. Whether it exists is not asked here.
std::string resolve(const std::string& file, const std::string& toml_file,
                    const ConfigPlaces& places);

}  // namespace ventral::config

#include "config/places.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/errors.hpp"
#include "core/folder_of.hpp"
#include "io/disk/entries_of.hpp"

namespace ventral::config {
namespace {

namespace fs = std::filesystem;

/// The folder above by name and not by "..", so that messages show the shortest path.
fs::path folder_above(const fs::path& folder) {
    if (folder == "." || folder.filename() == "..") return folder / "..";
    return core::folder_of(folder);
}

/// Any of models/, benchmarks/ and datasets/.
bool has_records(const std::string& folder) {
    for (const char* kind : {"models", "benchmarks", "datasets"}) {
        std::error_code ignored;
        if (fs::is_directory(fs::path(folder) / kind, ignored)) return true;
    }
    return false;
}

/// Editors and systems keep files of their own beside records: .#x.toml, ._x.toml.
bool is_record(const fs::path& file) {
    return file.extension() == ".toml" && !file.filename().string().starts_with('.');
}

/// Behind a symbolic link ".." leads elsewhere than it reads.
bool is_same_place(const fs::path& path, const fs::path& plain) {
    if (std::find(path.begin(), path.end(), "..") == path.end()) return true;
    std::error_code error;
    return fs::weakly_canonical(path, error) == fs::weakly_canonical(plain, error);
}

}  // namespace

void require_records(const std::string& folder) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        throw core::InputError(folder +
                               ": no such folder, name that of models, benchmarks and datasets "
                               "with --configs");
    if (!has_records(folder))
        throw core::InputError(folder +
                               ": has no folder models, benchmarks or datasets, name the folder "
                               "that has them with --configs");
}

std::string configs_folder(const std::string& run_file, const ConfigPlaces& places) {
    if (places.configs_folder) {
        require_records(*places.configs_folder);
        return *places.configs_folder;
    }
    const auto beside = core::folder_of(run_file);
    for (const auto& folder : {beside, folder_above(beside)})
        if (has_records(folder.string())) return folder.string();
    throw core::InputError(run_file + ": no folder models, benchmarks or datasets in " +
                           beside.string() + " or " + folder_above(beside).string() +
                           ", name the folder that has them with --configs");
}

std::vector<std::string> toml_files(const std::string& folder) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) return {};
    std::vector<std::string> files;
    for (const auto& path : io::entries_of(folder, error))
        if (is_record(path)) files.push_back(path.string());
    if (error) throw core::InputError(folder + ": cannot be read (" + error.message() + ")");
    std::sort(files.begin(), files.end());
    return files;
}

std::string resolve(const std::string& file, const std::string& toml_file,
                    const ConfigPlaces& places) {
    const auto folder =
        places.data_folder ? fs::path(*places.data_folder) : core::folder_of(toml_file);
    const auto path = folder / file;
    const auto plain = path.lexically_normal();
    return (is_same_place(path, plain) ? plain : path).string();
}

}  // namespace ventral::config

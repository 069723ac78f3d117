#pragma once
/// @file
/// What a dataset's TOML says: where its stimuli and assemblies are.

#include <map>
#include <optional>
#include <string>

namespace ventral::benchmarks {

/// A file of data, with the checksum that it must have; empty: not stated.
struct DataFile {
    std::string path;  ///< resolved: can be opened as it is
    std::string sha1;
    std::string variable = {};  ///< which of an assembly's is the data; empty: there is one only
    /// Coordinates: name in the file → name, or empty for those that are left out.
    std::map<std::string, std::string> renamed = {};
};

struct StimulusRecord {
    DataFile csv;
    std::string folder;
    /// Stated width of every image that the table gives no degrees of its own.
    std::optional<double> visual_degrees = {};

    double degrees() const { return visual_degrees.value_or(8.0); }
};

/// Whether outputs may show values of single neuroids and stimuli.
enum class Access { open, restricted };

struct DatasetRecord {
    std::string identifier;
    std::string origin;      ///< the TOML file, or BrainIO's list
    StimulusRecord stimuli;  ///< `csv.path` empty: the dataset has none (stored features only)
    Access access = Access::open;
    /// By role: target, repetitions. Without target it is the average of the repetitions.
    std::map<std::string, DataFile> assemblies;
};

/// Whether this origin of a dataset is BrainIO's list, which names its files and no folders.
inline bool is_brainio_list(const std::string& origin) { return origin.ends_with(".csv"); }

}  // namespace ventral::benchmarks

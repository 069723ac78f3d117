#pragma once
/// @file
/// Values that name a file, with the checksum it must have.

#include <map>
#include <string>

#include "config/places.hpp"
#include "config/table.hpp"

namespace ventral::config {

/// Which checksum a file may state.
enum class Checksum { none, sha1, sha256 };

/// A digest of `kind` (not none) in hexadecimal, made lower case. Throws `InputError` at `value` if
/// it is none.
std::string read_checksum(const Value& value, Checksum kind);

struct NamedFile {
    std::string path;      ///< resolved
    std::string checksum;  ///< empty: not stated
    std::string variable;  ///< of an assembly; empty: not stated
    /// Its coordinates: name in the file → name, or empty for those that are left out.
    std::map<std::string, std::string> renamed;
};

/// { file = "…", sha1 = "…" } (or sha256, or neither), or the bare name of the file. A file without
/// sha256 is an assembly, which may have variable = "…" too; one with sha1 is of recordings, which
/// may have rename = { name_in_file = "name" } and drop = ["name_in_file"].
NamedFile read_file_value(const Value& value, Checksum kind, const std::string& toml_file,
                          const ConfigPlaces& places);

}  // namespace ventral::config

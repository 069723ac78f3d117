#pragma once
/// @file
/// Changes the layers that a model commits to, in the text of its record: everything else of the
/// file stays as it is, comments and blanks included.

#include <string>
#include <vector>

namespace ventral::config {

/// The text of the model's TOML file `path` with `regions.REGION` set to `layers`, whether it is
/// there already or not. Throws `core::InputError` if the file cannot be read, is not TOML, or is
/// written in a form that this cannot change without touching more than that entry.
std::string with_region(const std::string& path, const std::string& region,
                        const std::vector<std::string>& layers);

/// The entry as it would stand under [regions]: V4 = ["features.5"].
std::string region_entry(const std::string& region, const std::vector<std::string>& layers);

}  // namespace ventral::config

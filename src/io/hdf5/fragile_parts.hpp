#pragma once
/// @file
/// The parts of netCDF files of which damage can make a crash of HDF5, to be tried by a process
/// that may crash (`survivable.hpp`): headers, attributes, strings and labels.

#include <optional>
#include <string>

namespace ventral::io {

/// Headers, attributes and strings of a group, or of what stands beside the groups. Strings that
/// cannot be read are left out; throws `InputError` if the headers cannot.
void read_group_texts(const std::string& path, const std::optional<std::string>& layer);

/// All of the file, in every way that this program reads such parts. What cannot be read is left
/// out.
void read_fragile_parts(const std::string& path);

}  // namespace ventral::io

#pragma once
/// @file
/// Strings of fixed length in HDF5 files, as h5py writes them. netCDF-C 4.9.0 crashes when it reads
/// such a dataset, so they are read here, past it.

#include <map>
#include <string>
#include <vector>

namespace ventral::io {

/// Every dataset of fixed-length strings directly in `group` ("/" is the root): name → strings,
/// without padding. Empty if the file is not HDF5 or the group does not exist.
/// Throws `InputError` if the file is damaged, or changes meanwhile.
std::map<std::string, std::vector<std::string>> read_fixed_strings(const std::string& path,
                                                                   const std::string& group);

}  // namespace ventral::io

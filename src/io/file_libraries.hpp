#pragma once
/// @file
/// Which libraries read and write files.

#include <string>

namespace ventral::io {

/// For example "HDF5 1.10.8, netCDF 4.9.0".
std::string file_libraries();

}  // namespace ventral::io

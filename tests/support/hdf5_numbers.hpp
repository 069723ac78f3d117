#pragma once
/// @file
/// Plain arrays of goldens that are HDF5 files.

#include <string>
#include <vector>

namespace ventral::test {

/// All numbers of a dataset of any shape, row by row, as float64. Throws `std::runtime_error`.
std::vector<double> hdf5_numbers(const std::string& path, const std::string& dataset);

}  // namespace ventral::test

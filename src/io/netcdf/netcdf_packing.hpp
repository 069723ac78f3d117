#pragma once
/// @file
/// The attributes of a netCDF variable that say how its numbers are packed.

#include "io/netcdf/netcdf_variable.hpp"
#include "io/netcdf/packing.hpp"

namespace ventral::io {

/// The packing of a variable of numbers: `_FillValue` and `missing_value`, each of any number of
/// numbers, `scale_factor`, `add_offset`, and `_Unsigned` of integers. Missing values that are text
/// are none, as in xarray. Throws `InputError` if a factor or offset is not one number.
Packing read_packing(const NetcdfFile& file, int group, const NetcdfVariable& variable);

}  // namespace ventral::io

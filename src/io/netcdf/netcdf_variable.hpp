#pragma once
/// @file
/// The variables of a netCDF group, decoded as xarray decodes them. Which of them are data and
/// which are coordinates is not decided here.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "io/netcdf/netcdf_file.hpp"

namespace ventral::io {

using Attributes = std::map<std::string, core::Attribute>;

struct NetcdfVariable {
    std::string name;
    int id = 0;
    int type = 0;                       ///< nc_type
    std::vector<core::Dimension> dims;  ///< without the string length of an array of characters
    std::size_t string_length = 0;      ///< of an array of characters, else 0
};

std::vector<NetcdfVariable> list_variables(const NetcdfFile& file, int group);

/// True for numbers, characters and strings; false for the types that users define.
bool is_readable(const NetcdfVariable& variable);

bool is_text(const NetcdfVariable& variable);

/// Number of values. Throws `InputError` if the file is too small to hold so many.
std::size_t entry_count(const NetcdfFile& file, const NetcdfVariable& variable);

/// Attributes of a variable, or with `variable` = nothing of the group. One number stays a number,
/// several become text like "[1, 2]"; types that users define are left out.
Attributes read_attributes(const NetcdfFile& file, int group,
                           const std::optional<NetcdfVariable>& variable);

/// The values of a readable variable: float32 and float64 as they are, integers of any size and
/// bools as int64, characters and strings as strings. Entries equal to `_FillValue` or
/// one of `missing_value` are NaN and `scale_factor`, `add_offset` are applied (integers with any
/// of these become float64); integers are of the sign that `_Unsigned` says (and of 64 bits then
/// become float64). Throws `InputError` if the file is damaged or an integer is beyond int64.
core::Values read_values(const NetcdfFile& file, int group, const NetcdfVariable& variable);

/// Throws `InputError` if one of a variable's values is what netCDF reads where none was ever
/// written: 15 · 2^119, unless `_FillValue` says otherwise. Zeros of HDF5 files that other programs
/// have left unwritten cannot be told from values.
void require_written(const NetcdfFile& file, const NetcdfVariable& variable,
                     std::span<const float> values);
void require_written(const NetcdfFile& file, const NetcdfVariable& variable,
                     std::span<const double> values);

/// True for attributes that say how values or coordinates are stored: used up by reading.
bool is_encoding(const std::string& attribute);

}  // namespace ventral::io

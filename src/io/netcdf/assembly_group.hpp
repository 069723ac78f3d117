#pragma once
/// @file
/// An open group of a netCDF file as an assembly: which variable is the data, and the labels. For
/// `read_assembly` and `AssemblyFile`.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "io/netcdf/netcdf_variable.hpp"

namespace ventral::io {

using FixedStrings = std::map<std::string, std::vector<std::string>>;

/// A group with everything that choosing among its variables needs.
struct AssemblyGroup {
    const NetcdfFile& file;
    int id;
    std::vector<NetcdfVariable> variables;
    FixedStrings fixed_strings;                  ///< as `read_fixed_strings` gives them
    std::set<std::string> coordinates;           ///< names that attributes say are coordinates
    std::map<std::string, std::string> renamed;  ///< as `AssemblyRequest` has it
    bool is_of_extract = false;                  ///< a file of activations
};

/// The group of the request's layer, or that of the whole file. `file` must outlive what is
/// returned. Throws `InputError` (with near names) if there is no such layer, and for a file of
/// activations that was never finished.
AssemblyGroup open_group(const NetcdfFile& file, const AssemblyRequest& request,
                         FixedStrings fixed_strings);

/// The variable of the request, or the only one that can be the data. Throws `InputError` that
/// lists those there are, and if its values can be no assembly's.
const NetcdfVariable& data_variable(const AssemblyGroup& group, const AssemblyRequest& request);

core::Values values_of(const AssemblyGroup& group, const NetcdfVariable& variable);

/// The assembly of `data` but for its values, and but for the coordinates along the dim `left_out`
/// that are not `kept`. Throws `InputError` (with near names) if there is no coordinate that is to
/// be renamed or dropped, or if a new name is taken.
core::Assembly labels_of(const AssemblyGroup& group, const NetcdfVariable& data,
                         const std::string& left_out = "", const std::set<std::string>& kept = {});

}  // namespace ventral::io

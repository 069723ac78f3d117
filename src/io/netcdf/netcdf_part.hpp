#pragma once
/// @file
/// Some rows and columns of a netCDF variable, of which the others never lie in memory.

#include "core/assembly.hpp"
#include "core/select.hpp"
#include "io/netcdf/assembly_group.hpp"

namespace ventral::io {

/// Stored as fractions: what a number of another type comes out as depends on all of them.
bool is_readable_in_parts(const NetcdfVariable& variable);

/// The values at these positions, which are in order along each dim, as `values_of` gives them.
/// Throws `InputError` as it does, and for what netCDF has never written.
core::Values read_part(const AssemblyGroup& group, const NetcdfVariable& variable,
                       const core::Positions& positions);

}  // namespace ventral::io

#pragma once
/// @file
/// Some rows and columns of a netCDF variable, of which the others never lie in memory.

#include "core/assembly.hpp"
#include "core/select.hpp"
#include "io/netcdf/assembly_group.hpp"

namespace ventral::io {

/// Text is not.
bool is_readable_in_parts(const NetcdfVariable& variable);

/// The values at these positions, which are in order along each dim, as `values_of` gives them; but
/// that integers of which some may be missing are float64 also if none is. Throws `InputError` as
/// it does, and for what netCDF has never written.
core::Values read_part(const AssemblyGroup& group, const NetcdfVariable& variable,
                       const core::Positions& positions);

/// Bytes of the file that are in memory at once meanwhile, at most.
std::size_t part_bytes_at_once(const AssemblyGroup& group, const NetcdfVariable& variable);

}  // namespace ventral::io

#pragma once
/// @file
/// What HDF5 files need so that netCDF-4 and xarray find dimensions and coordinates in them.

#include <cstddef>
#include <string>

#include "core/assembly.hpp"
#include "io/hdf5/hdf5_attribute.hpp"
#include "io/hdf5/hdf5_handle.hpp"

namespace ventral::io {

/// A group whose names keep their order.
Hdf5Handle create_group(const Hdf5Object& file, const std::string& name);

/// A dimension without values of its own, by the name that netCDF-4 gives to such a scale.
Hdf5Handle create_dimension(const Hdf5Object& group, const std::string& name, std::size_t size);

/// Makes the dataset, of one dimension, the one that gives a dimension of its name its values.
void make_dimension(const std::string& path, const Hdf5Handle& dataset, const std::string& name);

/// Says that `scale` is the dimension at `position` of the dataset.
void attach_dimension(const std::string& path, const Hdf5Handle& dataset, const Hdf5Handle& scale,
                      unsigned position);

/// False of a name with a blank: for xarray names end at blanks, and where one is not there it
/// takes none of them.
bool can_be_stated(const std::string& coordinate);

/// The value of the attribute `coordinates`: xarray attaches to the data every variable that it
/// names, and by itself those that are named as their dimension.
std::string coordinate_list(const core::Assembly& assembly);

/// Throws `InputError` if the assembly is not consistent, or would be two variables of one name.
void require_writable(const std::string& path, const core::Assembly& assembly);

}  // namespace ventral::io

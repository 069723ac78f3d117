#pragma once
/// @file
/// Whole datasets of numbers or strings, written and read by one rank.

#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "io/hdf5/hdf5_attribute.hpp"
#include "io/hdf5/hdf5_handle.hpp"

namespace ventral::io {

/// Compressed or with checksums in chunks.
enum class Storage { plain, compressed, checked };

/// Creates the dataset `name`, of one dimension, in a group and writes all of it; strings are of
/// variable length and always plain. Returns it open. Throws `InputError`.
Hdf5Handle write_array(const Hdf5Object& group, const std::string& name, const core::Values& values,
                       Storage storage = Storage::plain);

/// Values of any number of dims, row by row.
struct ShapedValues {
    const core::Values& values;
    const std::vector<std::size_t>& shape;
};
/// The same for these.
Hdf5Handle write_array(const Hdf5Object& group, const std::string& name, const ShapedValues& array,
                       Storage storage);

/// Read a dataset of one dimension, converting to the wanted type. Throw `InputError` if it is
/// missing, damaged or not an array of such values.
std::vector<double> read_doubles(const Hdf5Object& group, const std::string& name);
std::vector<std::string> read_texts(const Hdf5Object& group, const std::string& name);

}  // namespace ventral::io

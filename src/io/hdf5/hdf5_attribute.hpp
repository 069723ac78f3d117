#pragma once
/// @file
/// Attributes of HDF5 files, groups and datasets: text and numbers, as netCDF-4 has them. `object`
/// is an HDF5 identifier; `path` is for messages.

#include <cstdint>
#include <string>
#include <vector>

namespace ventral::io {

/// An open file, group or dataset and the file it is in.
struct Hdf5Object {
    std::int64_t id;
    const std::string& path;
};

void write_attribute(const Hdf5Object& object, const std::string& name, const std::string& text);
void write_attribute(const Hdf5Object& object, const std::string& name, std::int64_t number);
void write_attribute(const Hdf5Object& object, const std::string& name, double number);
void write_attribute(const Hdf5Object& object, const std::string& name,
                     const std::vector<std::int64_t>& numbers);
/// Changes the value of an attribute that is there, in place.
void overwrite_attribute(const Hdf5Object& object, const std::string& name, std::int64_t number);

/// Throw `InputError` if the attribute is missing or is of another kind.
std::string read_text_attribute(const Hdf5Object& object, const std::string& name);
std::int64_t read_integer_attribute(const Hdf5Object& object, const std::string& name);
std::vector<std::int64_t> read_integers_attribute(const Hdf5Object& object,
                                                  const std::string& name);

}  // namespace ventral::io

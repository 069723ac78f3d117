#pragma once
/// @file
/// Types and shapes of HDF5 datasets and attributes.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_handle.hpp"

namespace ventral::io {

/// UTF-8 text of variable length: the only strings that netCDF-C 4.9.0 reads without fault.
Hdf5Handle make_text_type(const std::string& path);

/// A dataspace of this shape. `path` is for messages.
Hdf5Handle make_shape(const std::string& path, const std::vector<std::size_t>& shape);

/// The shape of an open dataset. Throws `InputError` if it cannot be read.
std::vector<std::size_t> shape_of(const std::string& path, std::int64_t dataset);

struct ChunkLayout {
    std::vector<std::size_t> chunk;  ///< its shape; empty if the dataset has no chunks
    int filters = 0;                 ///< that each of them goes through
};

/// How an open dataset is stored. Throws `InputError` if it cannot be read.
ChunkLayout chunk_layout_of(const std::string& path, std::int64_t dataset);

}  // namespace ventral::io

#pragma once
/// @file
/// Parts of netCDF variables, for those that are too large to be read as a whole.

#include <cstddef>
#include <span>
#include <vector>

#include "core/assembly.hpp"
#include "io/netcdf_variable.hpp"
#include "io/packing.hpp"

namespace ventral::io {

/// A variable of numbers in an open file.
struct NetcdfNumbers {
    const NetcdfFile& file;
    int group;
    NetcdfVariable variable;
    Packing packing;
};

/// No values, of the type that `read_values` would give.
core::Values no_values(const NetcdfNumbers& numbers);

/// Along each dim the first entry and how many.
struct Block {
    std::vector<std::size_t> start, count;
};

/// The values of the block, row-major; `out` has their number. Throws `InputError`.
void read_block(const NetcdfNumbers& numbers, const Block& block, std::span<float> out);
void read_block(const NetcdfNumbers& numbers, const Block& block, std::span<double> out);

/// The shape of the chunks, or nothing if the values lie in the file one after the other.
std::vector<std::size_t> chunk_shape(const NetcdfNumbers& numbers);

/// Whether its chunks are compressed or shuffled.
bool has_filters(const NetcdfNumbers& numbers);

/// Keeps so many bytes of chunks between two calls.
void cache_chunks(const NetcdfNumbers& numbers, std::size_t bytes);

/// Bytes that reading takes for each value beside `out`.
std::size_t conversion_bytes(const NetcdfNumbers& numbers);

}  // namespace ventral::io

#pragma once
/// @file
/// Parts of netCDF variables, for those that are too large to be read as a whole.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "io/block.hpp"
#include "io/hdf5/deflated_chunks.hpp"
#include "io/netcdf/netcdf_variable.hpp"
#include "io/netcdf/packing.hpp"

namespace ventral::io {

/// A variable of numbers in an open file.
struct NetcdfNumbers {
    const NetcdfFile& file;
    int group;
    NetcdfVariable variable;
    Packing packing;
    /// Of those that are read with more than netCDF's one thread, see `find_deflated`.
    std::shared_ptr<DeflatedChunks> deflated = {};
};

/// The chunks of the variable of a group, or of the file; null if netCDF has to read them.
std::shared_ptr<DeflatedChunks> find_deflated(const NetcdfNumbers& numbers,
                                              const std::optional<std::string>& group);

/// No values, of the type that `read_values` would give.
core::Values no_values(const NetcdfNumbers& numbers);

/// The values of the block, row-major; `out` has their number. Throws `InputError`.
void read_block(const NetcdfNumbers& numbers, const Block& block, std::span<float> out);
void read_block(const NetcdfNumbers& numbers, const Block& block, std::span<double> out);
/// Of integers that stay integers (`Packing::keeps_integers`).
void read_block(const NetcdfNumbers& numbers, const Block& block, std::span<std::int64_t> out);

/// The shape of the chunks, or nothing if the values lie in the file one after the other.
std::vector<std::size_t> chunk_shape(const NetcdfNumbers& numbers);

/// Whether its chunks are compressed or shuffled.
bool has_filters(const NetcdfNumbers& numbers);

/// Keeps so many bytes of chunks between two calls that read on along the dim `axis`: netCDF does,
/// or else `deflated`.
void cache_chunks(const NetcdfNumbers& numbers, std::size_t bytes, std::size_t axis);

/// Bytes that reading takes for each value beside `out`.
std::size_t conversion_bytes(const NetcdfNumbers& numbers);

}  // namespace ventral::io

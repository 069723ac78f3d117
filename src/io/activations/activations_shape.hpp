#pragma once
/// @file
/// The activations of one model on one stimulus set: one HDF5 file that netCDF-4 and xarray open, a
/// group per layer with `activations[presentation, neuroid]` in float32, rows in the order of the
/// stimulus set; of networks that answer in time `activations[presentation, time_bin, neuroid]`. In
/// each group `visual_degrees`, the other columns of the stimulus set and `neuroid_num`, `channel`,
/// `y`, `x` are coordinates, `time_bin_start` and `time_bin_end` of the bins.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ventral::io {

/// Of a file's chunks, where there are as many.
inline constexpr std::size_t chunk_features = 4096;

/// How many rows a chunk has in a file of `rows` rows from batches of `batch_size`.
std::size_t chunk_rows_of(std::size_t batch_size, std::size_t rows);

/// What a layer's activations take in a file that is not compressed, which has whole chunks.
std::size_t bytes_in_chunks(std::size_t batch_size, std::size_t rows, std::size_t time_bins,
                            std::size_t features);

struct LayerShape {
    std::string name;                 ///< as the model calls it, dots and all; '/' is refused
    std::vector<std::int64_t> shape;  ///< of one stimulus, in one time bin: {C, H, W}, {p}, …
};

/// Number of neuroids of a layer: the product of its shape. Throws `InputError` if it is not
/// positive.
std::size_t feature_count(const LayerShape& layer);

}  // namespace ventral::io
